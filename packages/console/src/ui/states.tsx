import { CircleAlert, type LucideIcon, WifiOff } from "lucide-react";
import { type ReactNode, useEffect, useState } from "react";
import { ProblemError } from "../api/client.ts";
import { Sentence } from "../lib/foreign.tsx";

/** Shows gray rows while data loads. They appear after 200 ms, so that a fast response does not flicker. */
export function Skeleton({ rows = 6 }: { readonly rows?: number }) {
  const [isShown, setShown] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), 200);
    return () => clearTimeout(timer);
  }, []);
  if (!isShown) return null;
  return (
    <div role="status" aria-label="Loading" className="grid gap-3 p-4">
      {Array.from({ length: rows }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows are all alike
        <div key={index} className="h-9 rounded-control bg-sunken" />
      ))}
    </div>
  );
}

/** Shows why data could not be loaded, and offers another try. */
export function LoadError({ error, onRetry }: { readonly error: Error; readonly onRetry: () => void }) {
  const problem = error instanceof ProblemError ? error.problem : undefined;
  return (
    <div role="alert" className="m-4 rounded-card border border-line bg-surface p-4">
      <h2 className="flex items-center gap-2 font-semibold">
        {problem ? <CircleAlert size={16} aria-hidden="true" /> : <WifiOff size={16} aria-hidden="true" />}
        {problem ? problem.title : "The server did not answer"}
      </h2>
      <p className="mt-1 text-muted">
        <Sentence text={problem ? problem.detail : "Nothing was changed. Check your connection."} />
      </p>
      {problem && <p className="mt-1 text-xs text-muted">Request {problem.instance}</p>}
      <button type="button" className="btn mt-3" onClick={onRetry}>
        Try again
      </button>
    </div>
  );
}

/** Says what will appear in an empty place. */
export function Empty({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <div className="grid h-full min-h-40 place-content-center gap-1 p-8 text-center">
      <p className="text-lg font-semibold">{title}</p>
      <p className="max-w-80 text-muted">{children}</p>
    </div>
  );
}

const tones = {
  plain: "bg-sunken text-text",
  waiting: "bg-ink-soft text-text",
  high: "bg-high-soft text-text",
  failed: "bg-critical-soft text-text",
  good: "bg-good-soft text-text",
  unknown: "bg-unknown-soft text-text",
} as const;
const iconTones = {
  plain: "text-muted",
  waiting: "text-ink",
  high: "text-high",
  failed: "text-critical",
  good: "text-good",
  unknown: "text-unknown",
} as const;

/** A strip that says something about the whole subject below it. */
export function Notice({
  tone,
  icon: Icon,
  children,
  isAlert = false,
}: {
  readonly tone: keyof typeof tones;
  readonly icon: LucideIcon;
  readonly children: ReactNode;
  readonly isAlert?: boolean;
}) {
  return (
    <div
      role={isAlert ? "alert" : "status"}
      className={`flex items-start gap-2.5 rounded-lg px-3 py-2.5 ${tones[tone]}`}
    >
      <Icon size={16} aria-hidden="true" className={`mt-0.5 flex-none ${iconTones[tone]}`} />
      <div className="min-w-0">{children}</div>
    </div>
  );
}
