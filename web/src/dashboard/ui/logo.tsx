/** favicon.svg as part of the page: the page's policy allows only pictures of targets. */
export function Logo() {
  return (
    <svg viewBox="0 0 32 32" width="24" height="24" aria-hidden="true">
      <rect width="32" height="32" rx="7" fill="#2457c5" />
      <path d="M16 16 8 9m8 7 9-5m-9 5-1 9" stroke="#fff" stroke-width="2.5" stroke-linecap="round" />
      <g fill="#fff">
        <circle cx="16" cy="16" r="4.5" />
        <circle cx="8" cy="9" r="2.5" />
        <circle cx="25" cy="11" r="2.5" />
        <circle cx="15" cy="25" r="2.5" />
      </g>
    </svg>
  );
}
