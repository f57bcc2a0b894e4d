/** A field for an optional reason, in the person's own words. */
export function ReasonField({
  label,
  value,
  onChange,
}: {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}) {
  return (
    <label className="grid gap-1">
      <span className="text-sm text-muted">{label} (optional)</span>
      <input
        value={value}
        onChange={({ target }) => onChange(target.value)}
        maxLength={2_000}
        autoComplete="off"
        className="h-9 w-full rounded-control border border-edge bg-surface px-2 max-md:h-11"
      />
    </label>
  );
}
