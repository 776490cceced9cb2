// The part of aria-query that is bundled, which its published types leave out.
declare module "aria-query/lib/rolesMap" {
  interface RoleDefinition {
    abstract: boolean;
    /** "author", "contents" or "prohibited". */
    nameFrom: string[];
    /** The states and properties it supports, its own and inherited ones. */
    props: Record<string, unknown>;
  }

  interface Roles {
    get(role: string): RoleDefinition | undefined;
  }

  const module: Roles | { default: Roles };
  export default module;
}
