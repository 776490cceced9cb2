// The part of aria-query that a test compares with, which its published types leave out.
declare module "aria-query/lib/rolesMap" {
  interface RoleDefinition {
    abstract: boolean;
    /** "author", "contents" or "prohibited". */
    nameFrom: string[];
    /** The states and properties it supports, its own and inherited ones. */
    props: Record<string, unknown>;
  }

  interface Roles {
    entries(): [role: string, RoleDefinition][];
  }

  const module: Roles | { default: Roles };
  export default module;
}
