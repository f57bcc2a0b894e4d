import { Search } from "lucide-react";
import { useEffect, useEffectEvent, useState } from "react";

const typingPauseMs = 250;

/** Searches when the person pauses typing, so that not each letter is a request. */
export function SearchBox({
  text,
  hint,
  label,
  onSearch,
}: {
  readonly text: string | undefined;
  /** A short text in the empty box. */
  readonly hint: string;
  /** The name of the box for screen readers. */
  readonly label: string;
  readonly onSearch: (text: string | undefined) => void;
}) {
  const [typed, setTyped] = useState(text ?? "");
  const [shown, setShown] = useState(text);
  // The address changed by itself, such as after “back”.
  if (shown !== text) {
    setShown(text);
    if (typed.trim() !== (text ?? "")) setTyped(text ?? "");
  }
  const search = useEffectEvent(() => onSearch(typed.trim() || undefined));
  useEffect(() => {
    if (typed.trim() === (text ?? "")) return;
    const timer = setTimeout(search, typingPauseMs);
    return () => clearTimeout(timer);
  }, [typed, text]);
  return (
    <span className="relative min-w-0 flex-1 basis-52 md:max-w-90">
      <Search
        size={15}
        aria-hidden="true"
        className="absolute top-1/2 left-2.5 -translate-y-1/2 text-muted"
      />
      <input
        type="search"
        value={typed}
        maxLength={200}
        onChange={({ target }) => setTyped(target.value)}
        placeholder={hint}
        aria-label={label}
        className="h-8 w-full rounded-control border border-edge bg-surface pr-2 pl-8 text-sm max-md:h-11"
      />
    </span>
  );
}
