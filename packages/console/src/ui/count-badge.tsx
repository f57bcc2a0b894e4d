const tones = { ink: "bg-ink text-on-ink", unknown: "bg-unknown-soft text-unknown" } as const;

/** The number beside an entry of the navigation. Zero shows nothing. */
export function CountBadge({
  count,
  isPartial = false,
  description,
  tone = "ink",
}: {
  readonly count: number;
  /** Whether there are more than were loaded. */
  readonly isPartial?: boolean;
  /** The counted things, for screen readers. */
  readonly description: string;
  readonly tone?: keyof typeof tones;
}) {
  if (count === 0) return null;
  return (
    <span
      className={`rounded-full px-1.5 text-xs leading-4.5 font-semibold max-lg:absolute max-lg:top-0.5 max-lg:right-1/2 max-lg:translate-x-5 lg:ml-auto ${tones[tone]}`}
    >
      {count}
      {isPartial && "+"}
      <span className="sr-only"> {description}</span>
    </span>
  );
}
