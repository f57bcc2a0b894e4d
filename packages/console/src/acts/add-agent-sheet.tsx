import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { peopleQuery } from "../api/people-queries.ts";
import { ActSheet } from "./act-sheet.tsx";
import { ChoiceField, TextField } from "./fields.tsx";
import { isPrincipalId } from "./principal-id.ts";

const kinds = [
  ["agent", "Agent"],
  ["service", "Service"],
] as const;

/** Adds an agent or a service with the person who is responsible for it. */
export function AddAgentSheet({ me, onClose }: { readonly me: string; readonly onClose: () => void }) {
  const [id, setId] = useState("");
  const [kind, setKind] = useState<"agent" | "service">("agent");
  const [owner, setOwner] = useState(me);
  const people = useInfiniteQuery(peopleQuery({ kind: "person" })).data?.pages[0]?.principals;
  return (
    <ActSheet
      act={{ title: "Add an agent", capability: "admin.principal_add", button: "Add agent" }}
      input={{ id, kind, ...(owner !== "" && { owner }) }}
      isReady={isPrincipalId(id)}
      fields={
        <>
          <ChoiceField name="Kind" value={kind} options={kinds} onChange={setKind} />
          <TextField
            name="Id"
            hint="Such as support-bot. Without spaces. It can't be changed later."
            value={id}
            onChange={setId}
            isRequired
          />
          <TextField
            name="Owner"
            hint="The person who is responsible for it."
            value={owner}
            onChange={setOwner}
            suggestions={people?.map((person) => person.id)}
          />
        </>
      }
      onClose={onClose}
    />
  );
}
