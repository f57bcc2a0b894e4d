import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { capabilityNamesQuery } from "../api/queries.ts";
import type { PrincipalDetails } from "../api/types.ts";
import { ActSheet } from "./act-sheet.tsx";
import { ChoiceField, TextField } from "./fields.tsx";
import { createKey } from "./secrets.ts";
import { useSecret } from "./use-secret.ts";

const dayMs = 24 * 3_600_000;
const lifetimes = [
  ["30", "30 days"],
  ["90", "90 days"],
  ["365", "1 year"],
  ["", "Never"],
] as const;
const scopeTexts = [
  ["read", "See calls and capabilities"],
  ["calls", "Request calls"],
  ["decide", "Approve and deny"],
  ["admin", "Administer Paraph"],
] as const;
type Scope = (typeof scopeTexts)[number][0];
/** The scopes that only people can use. */
const personScopes: readonly Scope[] = ["decide", "admin"];

/** Issues an API key. The key is made in this browser, and only its hash is sent. */
export function KeySheet({
  principal: { id, kind },
  tenant,
  onClose,
}: {
  readonly principal: PrincipalDetails;
  readonly tenant: string;
  readonly onClose: () => void;
}) {
  const [label, setLabel] = useState("");
  const [days, setDays] = useState<(typeof lifetimes)[number][0]>("90");
  const [openedAt] = useState(Date.now);
  const [isLimited, setLimited] = useState<"all" | "some">(kind === "person" ? "some" : "all");
  const [chosen, setChosen] = useState<readonly Scope[]>(kind === "person" ? ["read"] : ["read", "calls"]);
  const [pattern, setPattern] = useState("");
  const secret = useSecret(() => createKey(tenant));
  const offered = scopeTexts.filter(([scope]) => kind === "person" || !personScopes.includes(scope));
  const capabilities = useQuery(capabilityNamesQuery).data;
  const scopes = [
    ...chosen.filter((scope) => scope !== "calls" || pattern.trim() === ""),
    ...(chosen.includes("calls") && pattern.trim() !== "" ? [`calls:${pattern.trim()}`] : []),
  ];
  const input = secret && {
    principal: id,
    keyId: secret.keyId,
    hash: secret.hash,
    ...(label.trim() !== "" && { label: label.trim() }),
    ...(isLimited === "some" && { scopes }),
    ...(days !== "" && { expires: new Date(openedAt + Number(days) * dayMs).toISOString() }),
  };
  return (
    <ActSheet
      act={{ title: `Issue a key for ${id}`, capability: "admin.key_create", button: "Issue key" }}
      input={input}
      isReady={isLimited === "all" || scopes.length > 0}
      fields={
        <>
          <TextField name="Label" hint="Where the key is used." value={label} onChange={setLabel} />
          <ChoiceField name="Expires after" value={days} options={lifetimes} onChange={setDays} />
          <ChoiceField
            name="Access"
            value={isLimited}
            options={[
              ["all", `Everything that ${id} may do`],
              ["some", "Only some of it"],
            ]}
            onChange={setLimited}
          />
          {isLimited === "some" && (
            <fieldset className="grid gap-1">
              <legend className="text-sm font-medium">Scopes</legend>
              {offered.map(([scope, text]) => (
                <label key={scope} className="flex min-h-8 items-center gap-2 max-md:min-h-11">
                  <input
                    type="checkbox"
                    checked={chosen.includes(scope)}
                    onChange={({ target }) =>
                      setChosen((all) =>
                        target.checked ? [...all, scope] : all.filter((one) => one !== scope),
                      )
                    }
                    className="size-4 accent-ink"
                  />
                  {text} <code className="text-muted">{scope}</code>
                </label>
              ))}
              {chosen.includes("calls") && (
                <TextField
                  name="Only capabilities that match"
                  hint="A name, or a pattern such as files.*. Empty: all."
                  suggestions={capabilities?.map(({ name }) => name)}
                  value={pattern}
                  onChange={setPattern}
                />
              )}
            </fieldset>
          )}
        </>
      }
      secret={
        secret && {
          name: "key",
          text: secret.key,
          advice: "It works once the request has succeeded.",
        }
      }
      onClose={onClose}
    />
  );
}
