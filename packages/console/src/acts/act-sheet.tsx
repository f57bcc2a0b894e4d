import { useQuery } from "@tanstack/react-query";
import { type FormEvent, type ReactNode, useState } from "react";
import { previewQuery } from "../api/people-queries.ts";
import { Sheet } from "../ui/sheet.tsx";
import { LoadError, Skeleton } from "../ui/states.tsx";
import { CallProgress, canStillSucceed } from "./call-progress.tsx";
import { PreviewBlock } from "./preview-block.tsx";
import { SecretOnce } from "./secret-once.tsx";
import { useRequest } from "./use-request.ts";

/** A governed call that a person requests on a form. */
export interface Act {
  /** The heading, such as `Disable support-bot`. */
  readonly title: string;
  readonly capability: string;
  /** The label of the button, if policy needs no approval. */
  readonly button: string;
}

/** A text that only this browser knows. It is shown once, after the request that contains its hash. */
export interface Secret {
  readonly name: string;
  readonly text: string;
  readonly advice: string;
}

/**
 * A form, then the preview of what the call will do, then where the requested call stands. Without fields, the preview
 * comes first.
 */
export function ActSheet({
  act: { title, capability, button },
  input,
  fields,
  isReady = true,
  secret,
  onClose,
}: {
  readonly act: Act;
  /** The input of the call. Undefined while it is being prepared. */
  readonly input: object | undefined;
  readonly fields?: ReactNode;
  /** Whether the fields are complete. */
  readonly isReady?: boolean;
  readonly secret?: Secret | undefined;
  readonly onClose: () => void;
}) {
  const [isEditing, setEditing] = useState(fields !== undefined);
  const [purpose, setPurpose] = useState("");
  const [isSecretSaved, setSecretSaved] = useState(false);
  const { send, isSending, call, message } = useRequest(capability);
  const shown = isEditing || call ? undefined : input;
  const preview = useQuery(previewQuery(capability, shown));
  const ruling = preview.data?.fault ? "block" : preview.data?.ruling;
  const canRequest = ruling !== undefined && ruling !== "block" && !isSending;
  const holdsSecret = call !== undefined && secret !== undefined && canStillSucceed(call) && !isSecretSaved;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isEditing) isReady && setEditing(false);
    else if (canRequest && input) send({ input, purpose, isImmediate: ruling === "allow" });
  };
  return (
    // A press beside the sheet does not lose an unsaved secret.
    <Sheet title={call ? "Requested" : title} isOpen onClose={() => !holdsSecret && onClose()}>
      {call ? (
        <div className="mt-4 grid gap-3">
          <CallProgress requested={call} />
          {secret && canStillSucceed(call) && <SecretOnce secret={secret} />}
          <button
            type="button"
            className="btn btn-primary"
            onClick={() => {
              setSecretSaved(true);
              onClose();
            }}
          >
            {holdsSecret ? "I have saved it" : "Close"}
          </button>
        </div>
      ) : (
        <form className="mt-4 grid gap-3" onSubmit={submit}>
          {isEditing ? (
            fields
          ) : preview.data ? (
            <>
              <PreviewBlock result={preview.data} />
              {canRequest && ruling !== "allow" && (
                <label className="grid gap-1">
                  <span className="text-sm text-muted">Why is it needed? The approvers see this.</span>
                  <textarea
                    value={purpose}
                    onChange={({ target }) => setPurpose(target.value)}
                    rows={2}
                    maxLength={2_000}
                    className="rounded-control border border-edge bg-surface p-2"
                  />
                </label>
              )}
            </>
          ) : preview.isError ? (
            <LoadError error={preview.error} onRetry={() => void preview.refetch()} />
          ) : (
            <Skeleton rows={2} />
          )}
          {message !== undefined && (
            <p role="alert" className="text-critical">
              {message}
            </p>
          )}
          <button
            type="submit"
            className="btn btn-primary"
            aria-disabled={isEditing ? !isReady : !canRequest}
          >
            {isEditing ? "Preview" : ruling === "ask" ? "Request approval" : button}
          </button>
          <button
            type="button"
            className="btn"
            onClick={() => (fields !== undefined && !isEditing ? setEditing(true) : onClose())}
          >
            Go back
          </button>
        </form>
      )}
    </Sheet>
  );
}
