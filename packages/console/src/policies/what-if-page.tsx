import { useMutation, useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { post } from "../api/client.ts";
import { capabilityNamesQuery, principalsQuery } from "../api/queries.ts";
import type { WhatIf } from "../api/types.ts";
import { parseJson } from "../lib/json.ts";
import { useTitle } from "../shell/use-title.ts";
import { LoadError } from "../ui/states.tsx";
import { PoliciesFrame } from "./policies-frame.tsx";
import { RulingCard } from "./ruling-card.tsx";

/** The requester and capability of a question, as the address has them. It omits the input, which may be confidential. */
export interface WhatIfSearch {
  readonly principal?: string | undefined;
  readonly capability?: string | undefined;
}

const field = "h-9 w-full rounded-control border border-edge bg-surface px-2 max-md:h-11";

/** Asks how policy would rule on a request of another principal. */
export function WhatIfPage() {
  const { principal = "", capability = "" } = useSearch({ from: "/policies/what-if" });
  const navigate = useNavigate({ from: "/policies/what-if" });
  const { data: people } = useQuery(principalsQuery);
  const { data: names } = useQuery(capabilityNamesQuery);
  const [input, setInput] = useState("{\n}");
  const parsed = parseJson(input);
  const asked = useMutation({
    mutationFn: () => post<WhatIf>("/v1/policy/what-if", { principal, capability, input: parsed?.value }),
  });
  useTitle("What if");
  const isReady = principal !== "" && capability !== "" && parsed !== undefined;
  const set = (change: WhatIfSearch) => {
    asked.reset();
    void navigate({ search: (old) => ({ ...old, ...change }), replace: true });
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isReady && !asked.isPending) asked.mutate();
  };
  return (
    <PoliciesFrame current="/policies/what-if">
      <div className="grid grid-cols-[minmax(0,1fr)] gap-6 p-4 md:px-6 xl:grid-cols-2">
        <form onSubmit={submit} className="grid content-start gap-3">
          <p className="text-muted">
            How would policy rule now? Nothing is requested, and no one is asked. If the capability has a
            preview, Paraph makes it, and does not show it here.
          </p>
          <label className="grid gap-1">
            <span className="text-sm font-medium">Requester</span>
            <input
              list="principals"
              value={principal}
              onChange={({ target }) => set({ principal: target.value || undefined })}
              autoComplete="off"
              className={field}
            />
            <datalist id="principals">
              {people?.principals.map(({ id }) => (
                <option key={id} value={id} />
              ))}
            </datalist>
          </label>
          <label className="grid gap-1">
            <span className="text-sm font-medium">Capability</span>
            <input
              list="capabilities"
              value={capability}
              onChange={({ target }) => set({ capability: target.value || undefined })}
              autoComplete="off"
              className={`${field} font-mono`}
            />
            <datalist id="capabilities">
              {names?.map(({ name }) => (
                <option key={name} value={name} />
              ))}
            </datalist>
          </label>
          <label className="grid gap-1">
            <span className="text-sm font-medium">Input as JSON</span>
            <textarea
              value={input}
              onChange={({ target }) => {
                asked.reset();
                setInput(target.value);
              }}
              rows={8}
              spellCheck={false}
              aria-describedby="input-fault"
              className="rounded-control border border-edge bg-surface p-2 font-mono text-sm"
            />
            <span id="input-fault" className="text-sm text-critical">
              {parsed === undefined && "This is not JSON."}
            </span>
          </label>
          <button
            type="submit"
            className="btn btn-primary justify-self-start"
            aria-disabled={!isReady || asked.isPending}
          >
            {asked.isPending ? "Asking…" : "Get the ruling"}
          </button>
        </form>
        <div aria-live="polite" className="min-w-0">
          {asked.isError && <LoadError error={asked.error} onRetry={() => asked.mutate()} />}
          {asked.data && <RulingCard result={asked.data} />}
        </div>
      </div>
    </PoliciesFrame>
  );
}
