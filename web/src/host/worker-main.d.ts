// The build gives this import: worker.ts with all it needs, as one function.
// Its toString is a complete script.
declare module "worker-main" {
  export default function main(self: import("./scope").Scope): void;
}
