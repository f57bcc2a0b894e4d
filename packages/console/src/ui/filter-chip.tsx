import { X } from "lucide-react";
import { Foreign } from "../lib/foreign.tsx";

/** A filter that is on or off. */
export function FilterChip({
  name,
  isCurrent,
  onPress,
}: {
  readonly name: string;
  readonly isCurrent: boolean;
  readonly onPress: () => void;
}) {
  return (
    <button
      type="button"
      aria-pressed={isCurrent}
      onClick={onPress}
      className={`flex-none rounded-full border px-3 py-1 text-sm font-medium max-md:min-h-11 ${isCurrent ? "border-text bg-text text-surface" : "border-edge"}`}
    >
      {name}
    </button>
  );
}

/** A filter with its value, which a press removes. */
export function FilterValue({
  name,
  value,
  onRemove,
}: {
  readonly name: string;
  readonly value: string;
  readonly onRemove: () => void;
}) {
  return (
    <button
      type="button"
      className="inline-flex flex-none items-center gap-1.5 rounded-full border border-ink bg-ink-soft px-3 py-1 text-sm max-md:min-h-11"
      onClick={onRemove}
    >
      <span className="text-muted">{name}</span>
      <span className="max-w-50 truncate">
        <Foreign text={value} />
      </span>
      <X size={13} aria-hidden="true" />
      <span className="sr-only">: remove this filter</span>
    </button>
  );
}
