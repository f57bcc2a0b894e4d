import type { Contract } from "../api/types.ts";
import { Code } from "../approval/blocks.tsx";
import { Foreign, formatJson } from "../lib/foreign.tsx";
import { formatDuration } from "../lib/time.ts";
import { FieldName, formatExample } from "../request/input-fields.tsx";
import { type Field, readFields } from "../request/schema-fields.ts";

const idempotencies: Record<Contract["idempotency"], string> = {
  natural: "Safe to repeat",
  keyed: "Repeated with the same key, the external system acts once",
  probe: "Paraph asks the external system whether it happened",
  none: "Never repeated. A lost answer becomes an unknown outcome",
};

/** The promises of a capability: its terms, and the fields of its input and output. */
export function ContractTerms({ contract }: { readonly contract: Contract }) {
  const { version, contractDigest, previews, performer, idempotency, sensitive, retry } = contract;
  const { retries } = retry as { readonly retries?: unknown };
  const rows: readonly (readonly [string, string])[] = [
    ["Version", `${version}`],
    ["Digest", contractDigest.slice(0, 16).replaceAll(/.{4}(?=.)/g, "$& ")],
    ["Preview", previews ? "Yes" : "No. Approvers see the whole input instead"],
    ["Performed by", performer === "agent" ? "The requester" : "Paraph"],
    ["After a lost answer", idempotencies[idempotency]],
    ["Retries", typeof retries === "number" ? `${retries}` : "None"],
    ["Time limit", formatDuration(contract.timeoutMs)],
    ["Hidden from others", sensitive.join(", ") || "Nothing"],
  ];
  return (
    <div className="grid max-w-290 grid-cols-[minmax(0,1fr)] items-start gap-4 xl:grid-cols-[minmax(0,2fr)_minmax(0,1fr)]">
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
        <SchemaFields title="Input" schema={contract.input} />
        <SchemaFields title="Output" schema={contract.output} />
      </div>
      <dl className="card grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1.5 p-3.5">
        {rows.map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-muted">{name}</dt>
            <dd className="[overflow-wrap:anywhere]">
              <Foreign text={value} />
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

function SchemaFields({ title, schema }: { readonly title: string; readonly schema: Contract["input"] }) {
  const fields = readFields(schema);
  return (
    <section aria-label={title} className="card min-w-0 overflow-hidden">
      <h2 className="flex min-h-11 items-center border-b border-line px-3.5 font-semibold">{title}</h2>
      {fields?.length === 0 ? (
        <p className="p-3.5 text-muted">No fields.</p>
      ) : fields ? (
        <FieldRows fields={fields} />
      ) : (
        <p className="p-3.5 text-muted">The schema does not name single fields.</p>
      )}
      <details className="border-t border-line px-3.5 py-2">
        <summary className="link w-fit cursor-pointer text-sm max-md:min-h-7">JSON Schema</summary>
        <div className="mt-2">
          <Code text={formatJson(schema)} />
        </div>
      </details>
    </section>
  );
}

function FieldRows({ fields }: { readonly fields: readonly Field[] }) {
  return (
    <ul className="divide-y divide-line">
      {fields.map((field) => (
        <li key={field.path} className="px-3.5 py-2">
          <p>
            <FieldName field={field} />
          </p>
          {field.options && <p className="text-sm">{field.options.map(formatExample).join(", ")}</p>}
          {field.description !== undefined && (
            <p className="text-sm text-muted">
              <Foreign text={field.description} />
            </p>
          )}
          {field.examples.length > 0 && (
            <p className="text-sm text-muted">
              Such as{" "}
              {field.examples.map((example) => (
                <code key={formatExample(example)} className="mr-2 text-text">
                  {formatExample(example)}
                </code>
              ))}
            </p>
          )}
          {field.fields && (
            <div className="mt-1 border-l-2 border-line">
              <FieldRows fields={field.fields} />
            </div>
          )}
        </li>
      ))}
    </ul>
  );
}
