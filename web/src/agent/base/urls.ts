// Addresses as text.

/** URL.canParse, for Safari before 17.0. */
export function isUrl(text: string, base?: string | URL): boolean {
  try {
    return !!new URL(text, base);
  } catch {
    return false;
  }
}
