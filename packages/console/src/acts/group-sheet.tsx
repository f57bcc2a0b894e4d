import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { groupsQuery } from "../api/people-queries.ts";
import { ActSheet } from "./act-sheet.tsx";
import { TextField } from "./fields.tsx";

const roles = ["paraph:admins", "paraph:auditors", "paraph:break-glass"];

/** Adds a principal to a group. */
export function GroupSheet({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const [group, setGroup] = useState("");
  const { data } = useQuery(groupsQuery);
  return (
    <ActSheet
      act={{ title: `Add ${id} to a group`, capability: "admin.group_change", button: "Add to group" }}
      input={{ group: group.trim(), add: [id] }}
      isReady={group.trim() !== ""}
      fields={
        <TextField
          name="Group"
          hint="An existing group, or the name of a new one."
          value={group}
          onChange={setGroup}
          suggestions={[...new Set([...(data?.groups.map((one) => one.group) ?? []), ...roles])]}
          isRequired
        />
      }
      onClose={onClose}
    />
  );
}
