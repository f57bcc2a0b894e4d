import { useQuery } from "@tanstack/react-query";
import { Link, useSearch } from "@tanstack/react-router";
import { useMemo } from "react";
import { keysQuery, receiptQuery } from "../api/queries.ts";
import { useTitle } from "../shell/use-title.ts";
import { LoadError } from "../ui/states.tsx";
import { Verifier } from "./verifier.tsx";

/** The call whose receipt is verified first, as it is in the address. */
export interface ReceiptsSearch {
  readonly call?: string | undefined;
}

/** Verifies receipts with the keys of this server, or with keys of a file. */
export function ReceiptsPage() {
  const { data, error, refetch } = useQuery(keysQuery);
  const { call } = useSearch({ from: "/receipts" });
  const receipt = useQuery(receiptQuery(call));
  const given = useMemo(
    () =>
      receipt.data === undefined
        ? undefined
        : new File([JSON.stringify(receipt.data)], `${call}.receipt.json`),
    [receipt.data, call],
  );
  const serverKeys = useMemo(() => data && { keys: data.keys, source: { kind: "server" } as const }, [data]);
  useTitle("Receipts");
  return (
    <div className="h-full overflow-y-auto px-4 pb-8 md:px-6">
      <h1 className="flex h-13 items-center text-lg font-semibold">Receipts</h1>
      <p className="mb-4 max-w-190 text-muted">
        A receipt is the signed account of one call. This browser verifies it, so you need not believe a
        server. Download a receipt from the page of its{" "}
        <Link to="/calls" className="link">
          call
        </Link>
        .{" "}
        <a href="/verify" download="paraph-verify.html" className="link">
          Save this verifier as a file
        </a>{" "}
        and{" "}
        <a href="/v1/keys" download="keys.json" className="link">
          download the public keys
        </a>{" "}
        to use them offline, or to give them to an auditor.
      </p>
      {error && !data && <LoadError error={error} onRetry={() => void refetch()} />}
      {receipt.error && <LoadError error={receipt.error} onRetry={() => void receipt.refetch()} />}
      <Verifier serverKeys={serverKeys} given={given} />
    </div>
  );
}
