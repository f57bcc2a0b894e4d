import { useQuery } from "@tanstack/react-query";
import { Link, useParams, useSearch } from "@tanstack/react-router";
import { ruledContractQuery } from "../api/capability-queries.ts";
import type { Contract } from "../api/types.ts";
import { Fact } from "../approval/fact.tsx";
import { CallForm } from "../request/call-form.tsx";
import { useTitle } from "../shell/use-title.ts";
import { Breadcrumb } from "../ui/breadcrumb.tsx";
import { EffectBadge } from "../ui/effect.tsx";
import { RiskTag } from "../ui/risk.tsx";
import { LoadError, Skeleton } from "../ui/states.tsx";
import { CapabilityActivity } from "./capability-activity.tsx";
import { ContractTerms } from "./contract-terms.tsx";
import { ExpectedRuling } from "./expected-ruling.tsx";

export type CapabilityTab = "contract" | "activity";

const tabs = [
  [undefined, "Try it"],
  ["contract", "Contract"],
  ["activity", "Activity"],
] as const;

/** One capability: a form that previews and requests a call, its contract, and how its calls ended. */
export function CapabilityPage() {
  const { name } = useParams({ from: "/capabilities/$name" });
  const { tab } = useSearch({ from: "/capabilities/$name" });
  const { data: contract, isPending, error, refetch } = useQuery(ruledContractQuery(name));
  useTitle(contract?.summary ?? "Capability");
  if (isPending) return <Skeleton />;
  if (!contract) return <LoadError error={error} onRetry={() => void refetch()} />;
  return (
    <article aria-labelledby="fact" className="h-full overflow-y-auto px-4 pb-8 md:px-6">
      <Breadcrumb
        links={[
          <Link key="list" to="/capabilities" search={{}}>
            Capabilities
          </Link>,
          <Link key="adapter" to="/adapters/$name" params={{ name: name.split(".", 1)[0] ?? name }}>
            {name.split(".", 1)}
          </Link>,
        ]}
        name={<code>{name}</code>}
      />
      <div className="flex flex-wrap items-center gap-2">
        <EffectBadge effect={contract.effect} />
        <RiskTag risk={contract.risk} />
        <code className="text-muted">
          {name} v{contract.version}
        </code>
      </div>
      <Fact text={contract.summary} />
      <ExpectedRuling ruling={contract.ruling} />
      <nav
        aria-label="Tabs of the capability"
        className="mt-3 mb-4 flex h-10 gap-4.5 border-b border-line max-md:h-11"
      >
        {tabs.map(([value, title]) => (
          <Link
            key={title}
            to="/capabilities/$name"
            params={{ name }}
            search={{ tab: value }}
            aria-current={tab === value ? "page" : undefined}
            className={`flex items-center font-medium ${tab === value ? "shadow-[inset_0_-2px_0_var(--ink)]" : "text-muted hover:text-text"}`}
          >
            {title}
          </Link>
        ))}
      </nav>
      {tab === "contract" ? (
        <ContractTerms contract={contract} />
      ) : tab === "activity" ? (
        <CapabilityActivity capability={name} />
      ) : (
        <TryIt contract={contract} />
      )}
    </article>
  );
}

function TryIt({ contract: { name, previews } }: { readonly contract: Contract }) {
  return (
    <div className="max-w-190">
      <p className="mb-4 text-muted">
        {previews
          ? "Fill in the fields, and see what the call would change. Nothing is requested until you press the last button."
          : "This capability has no preview. Fill in the fields to see how policy would rule. Nothing is requested until you press the last button."}
      </p>
      <CallForm key={name} capability={name} />
    </div>
  );
}
