import { Check, Copy } from "lucide-react";
import { useId, useRef, useState } from "react";

/** A text that a person takes elsewhere, with a button that copies it. */
export function CopyField({ label, text }: { readonly label: string; readonly text: string }) {
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  const [isCopied, setCopied] = useState(false);
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setCopied(true),
      // The browser allows no access to the clipboard. The person copies the selected text.
      () => field.current?.select(),
    );
  return (
    <div className="flex gap-2">
      <label htmlFor={id} className="sr-only">
        {label}
      </label>
      <input
        id={id}
        ref={field}
        readOnly
        value={text}
        onFocus={({ target }) => target.select()}
        className="h-9 min-w-0 flex-1 rounded-control border border-edge bg-sunken px-2 font-mono text-sm max-md:h-11"
      />
      <button type="button" className="btn" onClick={() => void copy()}>
        {isCopied ? <Check size={16} aria-hidden="true" /> : <Copy size={16} aria-hidden="true" />}
        {isCopied ? "Copied" : "Copy"}
      </button>
    </div>
  );
}
