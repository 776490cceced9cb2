// Addresses as text.

/** Whether a text is a URL: URL.canParse, which Safari has since 17.0. */
export function isUrl(text: string, base?: string | URL): boolean {
  try {
    return !!new URL(text, base);
  } catch {
    return false;
  }
}
