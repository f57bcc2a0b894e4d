import {
  explainRevocation,
  type ReceiptCheck,
  receiptChecks,
  type VerifiedReceipt,
} from "@paraph/core/verify-receipt";
import { CircleCheck, CircleX, Minus, ShieldAlert, ShieldCheck, ShieldX, TriangleAlert } from "lucide-react";
import { useEffect, useState } from "react";
import { Foreign } from "../lib/foreign.tsx";
import { Notice, Skeleton } from "../ui/states.tsx";
import { ReceiptStory } from "./receipt-story.tsx";
import { type ChosenFile, type TrustedKeys, type Verification, verifyText } from "./verification.ts";

const checks: Record<ReceiptCheck, readonly [name: string, passed: string]> = {
  format: ["Format", "The file is a Paraph receipt of version 1."],
  signature: ["Signature", "A trusted key signed exactly this content."],
  statement: ["Statement", "The statement is about this call, and its digest matches."],
  rules: ["Rules of a call", "Nothing acted before its approval, and each approval has its votes."],
  passkeys: ["Passkeys", "Each passkey signed the digest that its vote approves."],
  revocation: ["Revocation", "The key was not revoked at the times in the receipt."],
  disclosures: ["Disclosed data", "The data beside the signature is what was signed."],
};

/** The checks that had nothing to check in a receipt, which therefore prove nothing. */
function listEmptyChecks({
  passkeys,
  disclosed,
}: VerifiedReceipt): Readonly<Partial<Record<ReceiptCheck, string>>> {
  return {
    ...(!passkeys && { passkeys: "No vote has a passkey, so there was nothing to check." }),
    ...(disclosed.length === 0 && { disclosures: "Nothing is disclosed, so there was nothing to check." }),
  };
}

/** The verification of one receipt: the failed check, or what the receipt proves. */
export function ReceiptResult({
  file,
  trusted,
}: {
  readonly file: ChosenFile;
  readonly trusted: TrustedKeys;
}) {
  const result = useVerification(file, trusted);
  if (!result) return <Skeleton rows={2} />;
  const isVerified = result.kind === "verified";
  const isServerKey = isVerified && trusted.source.kind === "server";
  const empty = isVerified ? listEmptyChecks(result.found) : {};
  const emptyCount = Object.keys(empty).length;
  const [Icon, background, color] = !isVerified
    ? ([ShieldX, "bg-critical-soft", "text-critical"] as const)
    : isServerKey
      ? ([ShieldAlert, "bg-high-soft", "text-high"] as const)
      : ([ShieldCheck, "bg-good-soft", "text-good"] as const);
  return (
    <article className="card overflow-hidden" aria-label={file.name}>
      <div className={`flex gap-3 p-3.5 ${background}`}>
        <Icon size={22} aria-hidden="true" className={`flex-none ${color}`} />
        <div className="min-w-0">
          <h2 className={`text-lg font-semibold ${color}`}>
            {!isVerified
              ? `Not verified: ${checks[result.check][0].toLowerCase()}`
              : isServerKey
                ? "Signed by a key that this server gave you"
                : "Verified in this browser"}
          </h2>
          <p className="text-sm">
            <Foreign text={file.name} />
            {isVerified && !isServerKey && <>, with {describeSource(trusted.source)}</>}
          </p>
          {result.kind === "verified" && isServerKey && (
            <p className="mt-2">
              The receipt is as it was signed. To know that the operator signed it, compare the fingerprint of
              the key with the one that you got from the operator, or use your own trusted key:{" "}
              <code className="[overflow-wrap:anywhere]">
                <Foreign text={result.found.keyId} />
              </code>
            </p>
          )}
          {result.kind === "failed" && (
            <p className="mt-2">
              <Foreign text={result.reason} /> <strong>Do not rely on the content of this receipt.</strong>
            </p>
          )}
        </div>
      </div>
      {result.kind === "verified" && (
        <>
          {result.found.keyRevokedAt !== undefined && (
            <div className="p-3.5 pb-0">
              <Notice tone="high" icon={TriangleAlert} isAlert>
                {explainRevocation("receipt", formatUtc(result.found.keyRevokedAt))}
              </Notice>
            </div>
          )}
          <ReceiptStory found={result.found} disclosures={result.disclosures} />
        </>
      )}
      <details className="border-t border-line" open={!isVerified}>
        <summary className="cursor-pointer px-3.5 py-2.5 font-medium -outline-offset-2 max-md:min-h-11">
          {!isVerified
            ? "Checks"
            : emptyCount === 0
              ? `All ${receiptChecks.length} checks passed`
              : `${receiptChecks.length - emptyCount} checks passed, ${emptyCount} had nothing to check`}
        </summary>
        <CheckList failed={result.kind === "failed" ? result.check : undefined} empty={empty} />
      </details>
    </article>
  );
}

function describeSource(source: TrustedKeys["source"]) {
  switch (source.kind) {
    case "file":
      return (
        <>
          a key of <Foreign text={source.name} />
        </>
      );
    case "pasted":
      return "the key that you pasted";
    case "fingerprint":
      return "the key whose fingerprint you pasted";
    case "server":
      return "a key that this server gave you";
  }
}

function CheckList({
  failed,
  empty,
}: {
  readonly failed: ReceiptCheck | undefined;
  readonly empty: Readonly<Partial<Record<ReceiptCheck, string>>>;
}) {
  const failedAt = failed === undefined ? receiptChecks.length : receiptChecks.indexOf(failed);
  return (
    <ol className="grid gap-1.5 px-3.5 pb-3.5 text-sm">
      {receiptChecks.map((check, index) => {
        const [name, passed] = checks[check];
        const [Icon, color, text] = empty[check]
          ? [Minus, "text-muted", empty[check]]
          : index < failedAt
            ? [CircleCheck, "text-good", passed]
            : index === failedAt
              ? [CircleX, "text-critical", "Failed."]
              : [Minus, "text-muted", "Not checked, because an earlier check failed."];
        return (
          <li key={check} className="flex gap-2">
            <Icon size={16} aria-hidden="true" className={`mt-0.5 flex-none ${color}`} />
            <span>
              <span className="font-medium">{name}.</span> <span className="text-muted">{text}</span>
            </span>
          </li>
        );
      })}
    </ol>
  );
}

function useVerification(file: ChosenFile, trusted: TrustedKeys): Verification | undefined {
  const [done, setDone] = useState<{ readonly with: TrustedKeys; readonly result: Verification }>();
  useEffect(() => {
    let isCurrent = true;
    void verifyText(file.text, trusted.keys).then((result) => {
      if (isCurrent) setDone({ with: trusted, result });
    });
    return () => {
      isCurrent = false;
    };
  }, [file, trusted]);
  // A result counts only for the keys that it was made with.
  return done?.with === trusted ? done.result : undefined;
}

function formatUtc(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19).replace("T", " ")} UTC`;
}
