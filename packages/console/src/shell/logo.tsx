export function Logo() {
  return (
    <svg
      viewBox="0 0 26 22"
      width="26"
      height="22"
      fill="none"
      stroke="currentColor"
      strokeWidth="2.1"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      className="flex-none text-ink"
    >
      <path d="M4 18 C7 11, 11 3, 15 3 C19 3, 17 9, 12 11 C9 12, 7 11, 7 10" />
      <path d="M2 19 C9 15, 15 14, 16 16 C17 18, 12 20, 14 19 C17 18, 20 15, 24 16" />
    </svg>
  );
}
