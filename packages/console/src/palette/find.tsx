import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { capabilityNamesQuery, foundCallsQuery, inboxQuery } from "../api/queries.ts";
import type { CallSummary } from "../api/types.ts";
import { OutcomeMark } from "../calls/outcome-mark.tsx";
import { Foreign } from "../lib/foreign.tsx";
import { listItemActions } from "../shell/item-actions.ts";
import { screens } from "../shell/screens.ts";
import { type Option, OptionList } from "./option-list.tsx";
import { matchesWords } from "./words.ts";

/** Returns the function that closes the palette and then opens an address. */
type Go = (open: (navigate: ReturnType<typeof useNavigate>) => Promise<void>) => () => void;

const typingPauseMs = 150;
const maxPerGroup = 6;

/** Finds screens, requests that wait, calls, plans, receipts and capabilities, and goes to the buttons of the current item. */
export function Find({
  takeTyped,
  onClose,
  onDraft,
}: {
  readonly takeTyped: () => string;
  readonly onClose: (then: () => void) => void;
  readonly onDraft: () => void;
}) {
  const [text, setText] = useState(takeTyped);
  const [actions] = useState(listItemActions);
  const query = usePaused(text.trim());
  const navigate = useNavigate();
  const inbox = useInfiniteQuery(inboxQuery);
  const { data: capabilities } = useQuery(capabilityNamesQuery);
  const found = useQuery(foundCallsQuery(query));
  const words = text.trim();
  const go: Go = (open) => () => onClose(() => void open(navigate));
  const fits = (...texts: readonly string[]) => matchesWords(words, texts.join(" "));

  const options: Option[] = [
    ...actions
      .filter(({ name }) => fits(name))
      .map(({ name, run }) => ({
        ...{ id: `action ${name}`, group: "This request", label: name },
        run: () => onClose(run),
      })),
    ...screens
      .filter(({ name }) => fits(name))
      .map(({ name, path, key }) => ({
        ...{ id: `screen ${path}`, group: "Go to", label: name, run: go((to) => to({ to: path })) },
        detail: <span className="max-md:hidden">G then {key.toUpperCase()}</span>,
      })),
    ...(words === ""
      ? []
      : (inbox.data?.pages.flatMap(({ items }) => items) ?? [])
          .filter(({ approval, headline, principal }) => fits(approval, headline, principal.id))
          .slice(0, maxPerGroup)
          .map(({ approval, headline, principal }) => ({
            ...{ id: `approval ${approval}`, group: "Requests that wait" },
            label: <Foreign text={headline} />,
            detail: <Foreign text={principal.id} />,
            run: go((to) => to({ to: "/approvals/$approval", params: { approval } })),
          }))),
    ...(query === words ? (found.data?.calls ?? []) : []).flatMap((call) => toCallOptions(call, words, go)),
    ...(words === ""
      ? []
      : (capabilities ?? [])
          .filter(({ name, summary }) => fits(name, summary))
          .slice(0, maxPerGroup)
          .map(({ name, summary }) => ({
            ...{ id: `capability ${name}`, group: "Capabilities", label: <code>{name}</code> },
            detail: <Foreign text={summary} />,
            run: go((to) => to({ to: "/capabilities/$name", params: { name } })),
          }))),
    ...(words === ""
      ? []
      : [
          {
            ...{ id: "search", group: "More", label: <>Search all calls for “{words}”</> },
            run: go((to) => to({ to: "/calls", search: { q: words } })),
          },
        ]),
    ...(fits("draft a request new call plan command ask")
      ? [
          {
            id: "command",
            group: "More",
            label: "Draft a request",
            detail: <span className="max-md:hidden">/</span>,
            run: onDraft,
          },
        ]
      : []),
  ];
  return (
    <OptionList
      label="Find a screen, a request, a call or a capability"
      placeholder="Find by words or id"
      text={text}
      onText={setText}
      options={options.filter(({ id }, index) => options.findIndex((one) => one.id === id) === index)}
      empty={found.isFetching ? "Searching…" : "Nothing matches."}
    />
  );
}

function toCallOptions(summary: CallSummary, words: string, go: Go): readonly Option[] {
  const { call, headline, capability, outcome } = summary;
  const isPlan = capability === "plan.apply";
  const label = <Foreign text={headline} />;
  return [
    // The search finds the call of an approval by the id of the approval.
    ...(words.startsWith("ask_")
      ? [
          {
            ...{ id: `approval ${words}`, group: "Approvals", label },
            run: go((to) => to({ to: "/approvals/$approval", params: { approval: words } })),
          },
        ]
      : []),
    {
      ...{ id: `call ${call}`, group: isPlan ? "Plans" : "Calls", label },
      detail: <OutcomeMark {...summary} />,
      run: go((to) => to({ to: isPlan ? "/plans/$call" : "/calls/$call", params: { call } })),
    },
    ...(outcome && call === words
      ? [
          {
            id: `receipt ${call}`,
            group: "Receipts",
            label,
            run: go((to) => to({ to: "/receipts", search: { call } })),
          },
        ]
      : []),
  ];
}

/** Returns the text after the person has paused typing, so that not each letter is a request. */
function usePaused(text: string): string {
  const [paused, setPaused] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setPaused(text), typingPauseMs);
    return () => clearTimeout(timer);
  }, [text]);
  return paused;
}
