import { FileCheck2, KeyRound, ShieldAlert, Upload } from "lucide-react";
import { type FormEvent, type ReactNode, useEffect, useEffectEvent, useRef, useState } from "react";
import { Foreign } from "../lib/foreign.tsx";
import { Notice } from "../ui/states.tsx";
import { ReceiptResult } from "./receipt-result.tsx";
import {
  type ChosenFile,
  canVerify,
  readChosenFiles,
  readPastedKeys,
  type TrustedKeys,
} from "./verification.ts";

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
  /** An explanation of the way to get public keys. */
  readonly children?: ReactNode;
}) {
  const [receipts, setReceipts] = useState<readonly ChosenFile[]>([]);
  const [ownKeys, setOwnKeys] = useState<TrustedKeys>();
  const [faults, setFaults] = useState<readonly string[]>([]);
  const [isAble, setAble] = useState(true);
  useEffect(() => void canVerify().then(setAble), []);
  const trusted = ownKeys ?? serverKeys;
  const choose = async (files: Iterable<File>) => {
    const chosen = await readChosenFiles(files, ownKeys);
    if (chosen.keys) setOwnKeys(chosen.keys);
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
          <KeyList trusted={trusted} />
        ) : (
          <p className="text-muted">No keys yet. Choose a keys file, or paste a key.</p>
        )}
        {ownKeys && serverKeys && (
          <button type="button" className="link max-md:min-h-11" onClick={() => setOwnKeys(undefined)}>
            Use the keys of this server
          </button>
        )}
        <PasteKeys serverKeys={serverKeys} onKeys={setOwnKeys} />
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

function KeyList({ trusted: { keys, source } }: { readonly trusted: TrustedKeys }) {
  const count = `${keys.length} ${keys.length === 1 ? "key" : "keys"}`;
  const revoked = keys.filter(({ revokedAt }) => revokedAt !== undefined).length;
  return (
    <>
      <p>
        {source.kind === "server" && `${count} of this server, loaded now.`}
        {source.kind === "file" && (
          <>
            {count} of the file <Foreign text={source.name} />.
          </>
        )}
        {source.kind === "pasted" && `${count} that you pasted.`}
        {source.kind === "fingerprint" && "The key of this server whose fingerprint you pasted."}
        {revoked > 0 && ` ${revoked} revoked.`}
      </p>
      <p className="text-sm text-muted">
        {source.kind === "server"
          ? "A server can send any keys. To check the server itself, use a key or a fingerprint that you got from the operator earlier."
          : "Trust it only if you got it from the operator, and not together with the receipt."}
      </p>
      <ul className="mt-1 text-sm">
        {keys.map(({ kid, revokedAt }) => (
          <li key={kid}>
            <code className="[overflow-wrap:anywhere]">{kid}</code>
            {revokedAt !== undefined && <span className="text-high"> revoked</span>}
          </li>
        ))}
      </ul>
    </>
  );
}

/** Takes a trusted key, or the fingerprint of a key that the server sent, as text. */
function PasteKeys({
  serverKeys,
  onKeys,
}: {
  readonly serverKeys: TrustedKeys | undefined;
  readonly onKeys: (keys: TrustedKeys) => void;
}) {
  const [text, setText] = useState("");
  const [isRefused, setRefused] = useState(false);
  const what = serverKeys ? "key or its fingerprint" : "key";
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const keys = readPastedKeys(text, serverKeys?.keys);
    setRefused(!keys);
    if (keys) onKeys(keys);
  };
  return (
    <details className="mt-2">
      <summary className="cursor-pointer font-medium max-md:min-h-11">Paste a trusted {what}</summary>
      <form className="mt-1.5 grid justify-items-start gap-2" onSubmit={submit}>
        <textarea
          value={text}
          onChange={({ target }) => setText(target.value)}
          rows={3}
          aria-label={`Trusted ${what}`}
          spellCheck={false}
          className="w-full rounded-control border border-edge bg-surface p-2 font-mono text-sm"
        />
        {isRefused && (
          <p role="alert" className="text-critical">
            {serverKeys
              ? "This is neither an Ed25519 key as JSON nor the fingerprint of a key of this server."
              : "This is not an Ed25519 key as JSON."}
          </p>
        )}
        <button type="submit" className="btn">
          Trust this key
        </button>
      </form>
    </details>
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
