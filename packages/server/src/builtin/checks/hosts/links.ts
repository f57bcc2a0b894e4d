import type { Capability, CheckInput } from "@paraph/core";
import type { ConcurrencyQueue } from "../concurrency-queue.ts";
import { type CheckFinding, defineCheck, removeDuplicates, toVerdict } from "../define-check.ts";
import { formatInputPath, isSensitivePlace, maxCollectedFindings, walkTexts } from "../input-texts.ts";
import type { FindContract } from "../syntax.ts";
import { type FoundLink, findLinks } from "./find-links.ts";
import { HostList } from "./host-list.ts";
import { hasMixedScripts, isNetworkAddress } from "./hostname.ts";

/** Options of `check.links`. */
export interface LinksOptions {
  /** The allowed hosts. */
  readonly allow: readonly string[];
}

/** Creates `check.links`. Every link anywhere in the input must lead to a host that the configuration allows. */
export function createLinksCheck(
  { allow }: LinksOptions,
  contractOf: FindContract,
  turns: ConcurrencyQueue,
): Capability {
  const allowed = new HostList(allow, "checks.links.allow");
  return defineCheck(
    {
      name: "links",
      summary: "Compare every link in the input with the allowed hosts",
      timeout: "10s",
      judge: async (about) => toVerdict(findForbiddenLinks(about, allowed, contractOf)),
    },
    turns,
  );
}

function findForbiddenLinks(
  { capability, input }: CheckInput,
  allowed: HostList,
  contractOf: FindContract,
): CheckFinding[] {
  const sensitive = contractOf(capability)?.sensitive ?? [];
  const findings: CheckFinding[] = [];
  for (const { place, text } of walkTexts(input)) {
    for (const link of findLinks(text)) {
      for (const [code, why] of listLinkFaults(link, allowed)) {
        const path = formatInputPath(place);
        const named =
          link.kind === "link" && !isSensitivePlace(place, sensitive) ? ` to \`${link.host}\`` : "";
        findings.push({ code, path, sentence: `A link${named} in \`${path}\` ${why}.` });
      }
      if (findings.length >= maxCollectedFindings) return removeDuplicates(findings);
    }
  }
  return removeDuplicates(findings);
}

function listLinkFaults(link: FoundLink, allowed: HostList): [code: string, why: string][] {
  if (link.kind === "unreadable") return [["link-unreadable", "cannot be read"]];
  if (link.kind === "script")
    return [["link-scheme", "uses a scheme that runs or embeds content instead of opening a page"]];
  const { host, port, userinfo } = link;
  const faults: [string, string][] = [];
  if (userinfo)
    faults.push([
      "link-userinfo",
      "has a user name or password before its host, which readers can mistake for the host",
    ]);
  if (allowed.allows(host, port)) return faults;
  if (isNetworkAddress(host))
    return [...faults, ["link-address", "leads to an IP address instead of a host name"]];
  if (hasMixedScripts(host)) return [...faults, ["mixed-scripts", "mixes alphabets that look alike"]];
  const meant = allowed.findLookalike(host);
  if (meant) return [...faults, ["lookalike", `could be mistaken for \`${meant}\``]];
  if (port !== "" && allowed.allows(host))
    return [...faults, ["link-port", `leads to port ${port}, which \`checks.links.allow\` does not list`]];
  return [...faults, ["link-not-allowed", "leads to a host that is not in `checks.links.allow`"]];
}
