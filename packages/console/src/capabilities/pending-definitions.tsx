import { useQuery } from "@tanstack/react-query";
import { ShieldAlert } from "lucide-react";
import { useState } from "react";
import { pendingDefinitionsQuery } from "../api/capability-queries.ts";
import type { PendingDefinition } from "../api/types.ts";
import { DiffBlock } from "../approval/blocks.tsx";
import { Foreign } from "../lib/foreign.tsx";
import { Draft } from "../request/draft.tsx";
import { LoadError, Notice } from "../ui/states.tsx";

const warnings: Readonly<Record<string, string>> = {
  instructions: "It reads like instructions to the model.",
  "hidden-characters": "It contains hidden characters, which are named below.",
};

/** Definitions that an MCP server changed or added. Each is shown as a difference, and approved by a governed call. */
export function PendingDefinitions({ adapter }: { readonly adapter: string }) {
  const { data, error, refetch } = useQuery(pendingDefinitionsQuery(adapter));
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  if (error && !data) return <LoadError error={error} onRetry={() => void refetch()} />;
  if (!data || data.definitions.length === 0) return null;
  const { definitions, approvable } = data;
  // A definition that the server changed again has another digest, so it is no longer chosen.
  const digests = definitions.map(({ digest }) => digest).filter((digest) => chosen.has(digest));
  const toggle = (digest: string) =>
    setChosen(
      (old) => new Set(old.has(digest) ? [...old].filter((one) => one !== digest) : [...old, digest]),
    );
  return (
    <section aria-labelledby="definitions" className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <div>
        <h2 id="definitions" className="text-xl font-semibold">
          {definitions.length === 1
            ? "1 definition waits for approval"
            : `${definitions.length} definitions wait for approval`}
        </h2>
        <p className="text-muted">
          The server changed or added what models read. They follow such texts, so these tools are unavailable
          until people approve the difference.
        </p>
      </div>
      {definitions.map((definition) => (
        <Definition
          key={definition.id}
          definition={definition}
          isChosen={chosen.has(definition.digest)}
          onToggle={approvable ? () => toggle(definition.digest) : undefined}
        />
      ))}
      {!approvable ? (
        <p className="text-muted">
          Other tenants use this server too. An operator approves definitions for all of them with{" "}
          <code>paraph mcp pins {adapter}</code>.
        </p>
      ) : digests.length > 0 ? (
        <Draft request={{ kind: "call", capability: "admin.mcp_approve", input: { adapter, digests } }} />
      ) : (
        <p className="text-muted">Choose the definitions to approve.</p>
      )}
    </section>
  );
}

function Definition({
  definition: { id, kind, suspicions, diff },
  isChosen,
  onToggle,
}: {
  readonly definition: PendingDefinition;
  readonly isChosen: boolean;
  readonly onToggle: (() => void) | undefined;
}) {
  const name = (
    <span className="min-w-0">
      <span className="font-semibold text-medium">{kind === "new" ? "New" : "Changed"}</span>{" "}
      <code className="font-semibold">
        <Foreign text={id} />
      </code>
    </span>
  );
  return (
    <div className="card min-w-0 overflow-hidden">
      <div className="border-b border-line px-3.5 py-2.5">
        {onToggle ? (
          <label className="flex cursor-pointer items-center gap-2.5 max-md:min-h-11">
            <input
              type="checkbox"
              checked={isChosen}
              onChange={onToggle}
              className="size-4 flex-none accent-ink"
            />
            {name}
          </label>
        ) : (
          name
        )}
        {suspicions.map((suspicion) => (
          <div key={suspicion} className="mt-2">
            <Notice tone="high" icon={ShieldAlert}>
              {warnings[suspicion] ?? suspicion}
            </Notice>
          </div>
        ))}
      </div>
      <DiffBlock diff={diff} canFold={false} />
    </div>
  );
}
