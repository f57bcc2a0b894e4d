import { queryOptions } from "@tanstack/react-query";
import { get } from "./client.ts";
import type { Call, CallSummary, Passkey, PasskeyEnrolment } from "./types.ts";

/** The enrolled passkeys of a person. The event stream refreshes them with the people. */
export const passkeysQuery = (person: string) =>
  queryOptions({
    queryKey: ["people", "passkeys", person],
    queryFn: ({ signal }) =>
      get<{ passkeys: Passkey[] }>(`/v1/passkeys?${new URLSearchParams({ person })}`, signal),
  });

/** The options with which this browser creates a passkey for the session. */
export const enrolmentQuery = queryOptions({
  queryKey: ["enrolment"],
  queryFn: ({ signal }) =>
    get<{ enrolment?: PasskeyEnrolment | undefined }>("/v1/passkeys/enrolment", signal),
});

/** The enrolments of a person that wait for approval or run. */
export const openEnrolmentsQuery = (person: string) =>
  queryOptions({
    queryKey: ["calls", "open enrolments", person],
    queryFn: async ({ signal }) => {
      const filter = { capability: "admin.passkey_add", principal: person, state: "open", limit: "20" };
      const { calls } = await get<{ calls: CallSummary[] }>(
        `/v1/calls?${new URLSearchParams(filter)}`,
        signal,
      );
      return Promise.all(calls.map(({ call }) => get<Call>(`/v1/calls/${call}`, signal)));
    },
  });
