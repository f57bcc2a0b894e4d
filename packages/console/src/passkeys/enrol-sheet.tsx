import { Fingerprint } from "lucide-react";
import { type FormEvent, useState } from "react";
import { CallProgress } from "../acts/call-progress.tsx";
import { TextField } from "../acts/fields.tsx";
import type { Call } from "../api/types.ts";
import { Sentence } from "../lib/foreign.tsx";
import { Sheet } from "../ui/sheet.tsx";
import { readFingerprint } from "./read-fingerprint.ts";
import { useEnrolment } from "./use-enrolment.ts";

/** Names a passkey, has the browser create it, and shows the request for its enrolment. */
export function EnrolSheet({ onClose }: { readonly onClose: () => void }) {
  const { enrol, isBusy, call, message } = useEnrolment();
  return (
    <Sheet title={call ? "Requested" : "Enrol a passkey"} isOpen onClose={onClose}>
      {call ? (
        <Requested call={call} onClose={onClose} />
      ) : (
        <EnrolForm isBusy={isBusy} message={message} onEnrol={enrol} onClose={onClose} />
      )}
    </Sheet>
  );
}

function EnrolForm({
  isBusy,
  message,
  onEnrol,
  onClose,
}: {
  readonly isBusy: boolean;
  readonly message: string | undefined;
  readonly onEnrol: (label: string) => void;
  readonly onClose: () => void;
}) {
  const [label, setLabel] = useState("");
  const name = label.trim();
  const isReady = /^[\x20-\x7e]{1,64}$/.test(name) && !isBusy;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isReady) onEnrol(name);
  };
  return (
    <form className="mt-4 grid gap-3" onSubmit={submit}>
      <TextField
        name="Name of the passkey"
        hint="Such as YubiKey on my key ring. At most 64 letters, digits and signs, without accents."
        value={label}
        onChange={setLabel}
        isRequired
      />
      <p className="text-muted">
        The passkey works once the enrolment is approved. If you are the only person, you confirm it yourself.
      </p>
      <p role="status" className="empty:hidden">
        {isBusy && "Confirm with your passkey."}
      </p>
      {message !== undefined && (
        <p role="alert" className="text-critical">
          <Sentence text={message} />
        </p>
      )}
      <button type="submit" className="btn btn-primary" aria-disabled={!isReady}>
        <Fingerprint size={16} aria-hidden="true" />
        Enrol passkey
      </button>
      <button type="button" className="btn" onClick={onClose}>
        Go back
      </button>
    </form>
  );
}

function Requested({ call, onClose }: { readonly call: Call; readonly onClose: () => void }) {
  const fingerprint = readFingerprint(call);
  return (
    <div className="mt-4 grid gap-3">
      <CallProgress requested={call} />
      {fingerprint !== undefined && (
        <p>
          Key fingerprint <code className="font-semibold whitespace-nowrap">{fingerprint}</code>. The approver
          asks you whether your page shows it.
        </p>
      )}
      <button type="button" className="btn btn-primary" onClick={onClose}>
        Close
      </button>
    </div>
  );
}
