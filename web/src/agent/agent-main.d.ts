// The build gives this import: index.ts with all it needs, as one function that
// returns its exports.
declare module "agent-main" {
  export default function main(): typeof import("./index");
}
