// The build gives this import: worker/index.ts with all it needs, as the text of a script in one line.

declare module "worker-agent-main" {
  const text: string;
  export default text;
}
