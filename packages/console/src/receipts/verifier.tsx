import { FileCheck2, KeyRound, ShieldAlert, Upload } from "lucide-react";
import { type ReactNode, useEffect, useEffectEvent, useRef, useState } from "react";
import { Foreign } from "../lib/foreign.tsx";
import { Notice } from "../ui/states.tsx";
import { ReceiptResult } from "./receipt-result.tsx";
import { type ChosenFile, canVerify, readChosenFiles, type TrustedKeys } from "./verification.ts";

/** Verifies chosen receipts in this browser. Nothing that a person chooses leaves the browser. */
export function Verifier({
  serverKeys,
  given,
  children,
}: {
  /** A receipt that is verified at once. */
  readonly given?: File | undefined;
  /** The keys that the server sent, if the page may ask a server. */
  readonly serverKeys?: TrustedKeys | undefined;
  /** Where to get keys. */
  readonly children?: ReactNode;
}) {
  const [receipts, setReceipts] = useState<readonly ChosenFile[]>([]);
  const [fileKeys, setFileKeys] = useState<TrustedKeys>();
  const [faults, setFaults] = useState<readonly string[]>([]);
  const [isAble, setAble] = useState(true);
  useEffect(() => void canVerify().then(setAble), []);
  const trusted = fileKeys ?? serverKeys;
  const choose = async (files: Iterable<File>) => {
    const chosen = await readChosenFiles(files);
    if (chosen.keys) setFileKeys(chosen.keys);
    setFaults(chosen.faults);
    if (chosen.receipts.length > 0) setReceipts(chosen.receipts);
  };
  const chooseGiven = useEffectEvent((file: File) => void choose([file]));
  useEffect(() => {
    if (given) chooseGiven(given);
  }, [given]);
  return (
    <div className="grid max-w-240 grid-cols-[minmax(0,1fr)] gap-4">
      {!isAble && (
        <Notice tone="high" icon={ShieldAlert} isAlert>
          <strong>This browser can't check signatures here.</strong> It needs Ed25519, and an address with{" "}
          <code>https:</code> or the saved file. Use a newer browser, or <code>paraph verify</code>.
        </Notice>
      )}
      <DropArea onFiles={(files) => void choose(files)} />
      {faults.map((fault) => (
        <Notice key={fault} tone="failed" icon={ShieldAlert} isAlert>
          <Foreign text={fault} />
        </Notice>
      ))}
      <section aria-labelledby="trusted" className="card p-3.5">
        <h2 id="trusted" className="flex items-center gap-2 font-semibold">
          <KeyRound size={16} aria-hidden="true" className="text-muted" />
          Trusted keys
        </h2>
        {trusted ? (
          <KeySource trusted={trusted} />
        ) : (
          <p className="text-muted">No keys yet. Choose a keys file.</p>
        )}
        {fileKeys && serverKeys && (
          <button type="button" className="link max-md:min-h-11" onClick={() => setFileKeys(undefined)}>
            Use the keys of this server
          </button>
        )}
        {children}
      </section>
      <div aria-live="polite" className="grid grid-cols-[minmax(0,1fr)] gap-4">
        {receipts.map((file) =>
          trusted ? (
            <ReceiptResult key={file.id} file={file} trusted={trusted} />
          ) : (
            <Notice key={file.id} tone="plain" icon={FileCheck2}>
              <strong>
                <Foreign text={file.name} />
              </strong>{" "}
              is not verified yet. Choose the operator's keys.
            </Notice>
          ),
        )}
      </div>
    </div>
  );
}

function KeySource({ trusted }: { readonly trusted: TrustedKeys }) {
  const count = `${trusted.keys.length} ${trusted.keys.length === 1 ? "key" : "keys"}`;
  const revoked = trusted.keys.filter(({ revokedAt }) => revokedAt !== undefined).length;
  return (
    <>
      <p>
        {trusted.file === undefined ? (
          <>{count} of this server, loaded now.</>
        ) : (
          <>
            {count} of the file <Foreign text={trusted.file} />.
          </>
        )}
        {revoked > 0 && ` ${revoked} revoked.`}
      </p>
      <p className="text-sm text-muted">
        {trusted.file === undefined
          ? "A server can send any keys. To check the server itself, choose a keys file that you got from the operator earlier."
          : "Trust this file only if you got it from the operator, and not together with the receipt."}
      </p>
      <ul className="mt-1 text-sm">
        {trusted.keys.map(({ kid, revokedAt }) => (
          <li key={kid}>
            <code className="[overflow-wrap:anywhere]">{kid}</code>
            {revokedAt !== undefined && <span className="text-high"> revoked</span>}
          </li>
        ))}
      </ul>
    </>
  );
}

function DropArea({ onFiles }: { readonly onFiles: (files: Iterable<File>) => void }) {
  const [isOver, setOver] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  return (
    <section
      aria-label="Choose files"
      className={`grid justify-items-center gap-2 rounded-card border border-dashed p-6 text-center ${isOver ? "border-ink bg-ink-soft" : "border-edge"}`}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        onFiles(event.dataTransfer.files);
      }}
    >
      <Upload size={20} aria-hidden="true" className="text-muted" />
      <p>Drop receipts here, and the operator's keys file if you have it.</p>
      <p className="text-sm text-muted">The files stay in this browser.</p>
      <button type="button" className="btn" onClick={() => input.current?.click()}>
        Choose files
      </button>
      <input
        ref={input}
        type="file"
        multiple
        accept=".json,application/json"
        aria-label="Receipts and keys"
        className="hidden"
        onChange={({ target }) => {
          onFiles([...(target.files ?? [])]);
          target.value = "";
        }}
      />
    </section>
  );
}
