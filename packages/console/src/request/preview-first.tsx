import { useMutation } from "@tanstack/react-query";
import { Eye } from "lucide-react";
import { Fragment, type ReactNode, useEffect, useRef } from "react";
import { ProblemError } from "../api/client.ts";

/** A preview, and the text of the draft that it belongs to. */
export interface Previewed<R> {
  readonly of: string;
  readonly result: R;
}

/** A draft without a fault, and the text that identifies its content. */
interface IdentifiedDraft<D> {
  readonly of: string;
  readonly value: D;
}

/** Previews a draft before a person can act on it. Any change of the draft needs a new preview. */
export function PreviewFirst<D, R>({
  draft,
  given,
  onFaults,
  load,
  show,
  act,
}: {
  /** Undefined while the draft has a fault. */
  readonly draft: IdentifiedDraft<D> | undefined;
  /** The preview that came with the draft. */
  readonly given?: Previewed<R> | undefined;
  /** Called if a person previews a draft with a fault. */
  readonly onFaults?: (() => void) | undefined;
  readonly load: (value: D) => Promise<R>;
  /** Shows the preview. */
  readonly show: (value: D, result: R) => ReactNode;
  /** Offers what the person can do with exactly this draft. */
  readonly act: (value: D, result: R) => ReactNode;
}) {
  const preview = useMutation({
    mutationFn: async ({ of, value }: IdentifiedDraft<D>): Promise<Previewed<R>> => ({
      of,
      result: await load(value),
    }),
  });
  const shown = draft && [preview.data, given].find((one) => one !== undefined && one.of === draft.of);
  // The pressed button is gone now, so the focus goes on to what it has shown.
  const result = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (preview.data) result.current?.focus();
  }, [preview.data]);
  const start = () => {
    if (!draft) onFaults?.();
    else if (!preview.isPending) preview.mutate(draft);
  };
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      {!shown && (
        <button
          type="button"
          className="btn btn-primary justify-self-start max-md:w-full"
          aria-disabled={preview.isPending}
          onClick={start}
        >
          <Eye size={16} aria-hidden="true" />
          {preview.isPending ? "Previewing…" : "Show what it would change"}
        </button>
      )}
      <div
        ref={result}
        tabIndex={-1}
        aria-live="polite"
        className="grid grid-cols-[minmax(0,1fr)] gap-4 outline-none empty:hidden"
      >
        {preview.isError && !preview.isPending && !shown && (
          <p role="alert" className="text-critical">
            {preview.error instanceof ProblemError
              ? preview.error.problem.detail
              : "The server did not answer. Nothing was requested."}
          </p>
        )}
        {draft && shown && show(draft.value, shown.result)}
      </div>
      {draft && shown && <Fragment key={shown.of}>{act(draft.value, shown.result)}</Fragment>}
    </div>
  );
}
