import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { capabilitiesQuery, weekQuery } from "../api/capability-queries.ts";
import { adaptersQuery } from "../api/overview-queries.ts";
import { meQuery } from "../api/queries.ts";
import type { Adapter } from "../api/types.ts";
import { Fact } from "../approval/fact.tsx";
import { Sentence } from "../lib/foreign.tsx";
import { formatAgo, formatExactTime, useNow } from "../lib/time.ts";
import { useTitle } from "../shell/use-title.ts";
import { Breadcrumb } from "../ui/breadcrumb.tsx";
import { LoadError, Skeleton } from "../ui/states.tsx";
import { AdapterState } from "./adapter-state.tsx";
import { CapabilityRows } from "./capability-rows.tsx";
import { PendingDefinitions } from "./pending-definitions.tsx";

/** One adapter: its health, definitions that wait for approval, and its capabilities. */
export function AdapterPage() {
  const { name } = useParams({ from: "/adapters/$name" });
  const { data: me } = useQuery(meQuery);
  const adapters = useQuery(adaptersQuery);
  const { data: capabilities, isPending, error, refetch } = useQuery(capabilitiesQuery);
  const { data: week } = useQuery(weekQuery);
  useTitle(name);
  if (isPending || adapters.isPending) return <Skeleton />;
  if (!capabilities) return <LoadError error={error} onRetry={() => void refetch()} />;
  const adapter = adapters.data?.adapters.find((one) => one.name === name);
  const own = capabilities.filter((one) => one.name.startsWith(`${name}.`));
  const statistics = new Map((week?.statistics ?? []).map((one) => [one.capability ?? "", one]));
  const mayReview = me?.groups.some((group) => ["paraph:admins", "paraph:auditors"].includes(group));
  return (
    <article aria-labelledby="fact" className="h-full overflow-y-auto px-4 pb-8 md:px-6">
      <Breadcrumb
        links={[
          <Link key="list" to="/capabilities" search={{}}>
            Capabilities
          </Link>,
        ]}
        name={<code>{name}</code>}
      />
      {adapter && <AdapterState state={adapter.state} />}
      <Fact text={name} />
      <Health adapter={adapter} isKnown={own.length > 0} />
      <div className="mt-5 grid max-w-290 grid-cols-[minmax(0,1fr)] gap-5">
        {adapter && mayReview && <PendingDefinitions adapter={name} />}
        {own.length > 0 && (
          <section aria-labelledby="capabilities" className="card min-w-0 overflow-hidden">
            <h2
              id="capabilities"
              className="flex min-h-11 items-center border-b border-line px-3.5 font-semibold"
            >
              {own.length === 1 ? "1 capability" : `${own.length} capabilities`} that you may request
            </h2>
            <CapabilityRows label={`Capabilities of ${name}`} capabilities={own} statistics={statistics} />
          </section>
        )}
      </div>
    </article>
  );
}

function Health({ adapter, isKnown }: { readonly adapter: Adapter | undefined; readonly isKnown: boolean }) {
  const now = useNow();
  if (!adapter)
    return (
      <p className="text-muted">
        {isKnown
          ? "These capabilities are code of this server. They use no adapter, so they have no health of their own."
          : "There is no adapter of this name, or you may request none of its capabilities."}
      </p>
    );
  const { kind, seenAt, message, code, digest } = adapter;
  return (
    <div className="grid gap-1 text-muted">
      <p>
        Adapter <code className="text-text">{kind}</code>, last answer{" "}
        {seenAt === undefined ? (
          "not since the server started"
        ) : (
          <time dateTime={seenAt} title={formatExactTime(seenAt)}>
            {formatAgo(seenAt, now)}
          </time>
        )}
        , contracts <code>{digest.slice(0, 8)}</code>.
      </p>
      {message !== undefined && (
        <p className="text-text">
          {code !== undefined && <code className="mr-2">{code}</code>}
          <Sentence text={message} />
        </p>
      )}
    </div>
  );
}
