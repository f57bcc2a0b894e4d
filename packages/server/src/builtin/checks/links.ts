import type { Capability, CheckInput } from "@paraph/core";
import { HostList } from "./allow-list.ts";
import { defineCheck, distinct, type Finding, passedUnless } from "./define-check.ts";
import { isAddress, mixesScripts } from "./hostname.ts";
import { type Link, linksIn } from "./link.ts";
import type { ContractOf } from "./syntax.ts";
import { enough, isSensitive, pathOf, textsIn } from "./texts.ts";
import type { Turns } from "./turns.ts";

export interface LinksOptions {
  /** `example.com`, `*.example.com` or `example.com:8443`. Nothing listed: no link is allowed. */
  readonly allow: readonly string[];
}

/** Every link anywhere in the input must lead to a host that the configuration allows. */
export function linksCheck({ allow }: LinksOptions, contractOf: ContractOf, turns: Turns): Capability {
  const allowed = new HostList(allow, "checks.links.allow");
  return defineCheck(
    {
      what: "links",
      summary: "Hold every link in the input against the allowed hosts",
      timeout: "10s",
      judge: async (about) => passedUnless(findingsIn(about, allowed, contractOf)),
    },
    turns,
  );
}

function findingsIn({ capability, input }: CheckInput, allowed: HostList, contractOf: ContractOf): Finding[] {
  const sensitive = contractOf(capability)?.sensitive ?? [];
  const findings: Finding[] = [];
  for (const { place, text } of textsIn(input)) {
    for (const link of linksIn(text)) {
      for (const [code, why] of faultsOf(link, allowed)) {
        const path = pathOf(place);
        const named = link.kind === "link" && !isSensitive(place, sensitive) ? ` to \`${link.host}\`` : "";
        findings.push({ code, path, sentence: `A link${named} in \`${path}\` ${why}.` });
      }
      if (findings.length >= enough) return distinct(findings);
    }
  }
  return distinct(findings);
}

function faultsOf(link: Link, allowed: HostList): [code: string, why: string][] {
  if (link.kind === "unreadable") return [["link-unreadable", "cannot be read"]];
  if (link.kind === "script")
    return [["link-scheme", "would run or show something of its own instead of leading somewhere"]];
  const { host, port, userinfo } = link;
  const faults: [string, string][] = [];
  if (userinfo)
    faults.push(["link-userinfo", "has a name or password before its host, which can pass for one"]);
  if (allowed.allows(host, port)) return faults;
  if (isAddress(host)) return [...faults, ["link-address", "leads to a bare network address"]];
  if (mixesScripts(host)) return [...faults, ["mixed-scripts", "mixes alphabets that look alike"]];
  const meant = allowed.lookalikeOf(host);
  if (meant) return [...faults, ["lookalike", `could be taken for \`${meant}\``]];
  if (port !== "" && allowed.allows(host))
    return [...faults, ["link-port", `leads to port ${port}, which \`checks.links.allow\` does not name`]];
  return [...faults, ["link-not-allowed", "leads to a host that is not among `checks.links.allow`"]];
}
