import { useState } from "react";
import { ActSheet } from "./act-sheet.tsx";
import { ChoiceField, TextField } from "./fields.tsx";
import { isPrincipalId, principalIdHint } from "./principal-id.ts";
import { createLoginLink } from "./secrets.ts";
import { useSecret } from "./use-secret.ts";

const hours = [
  ["24", "24 hours"],
  ["72", "3 days"],
  ["168", "7 days"],
] as const;

/** Invites a person. The link is made in this browser, and only its hash is sent. */
export function InviteSheet({ tenant, onClose }: { readonly tenant: string; readonly onClose: () => void }) {
  const [id, setId] = useState("");
  const [lasts, setLasts] = useState<(typeof hours)[number][0]>("72");
  const secret = useSecret(() => createLoginLink(tenant));
  return (
    <ActSheet
      act={{
        title: "Invite a person",
        capability: "admin.invite",
        button: "Invite person",
      }}
      input={secret && { id, linkHash: secret.linkHash, hours: Number(lasts) }}
      isReady={isPrincipalId(id)}
      fields={
        <>
          <TextField name="Id of the person" hint={principalIdHint} value={id} onChange={setId} isRequired />
          <ChoiceField name="The login link works for" value={lasts} options={hours} onChange={setLasts} />
        </>
      }
      secret={
        secret && {
          name: "login link",
          text: secret.link,
          advice: `Send it only to ${id}. Its holder signs in as ${id}, once the invitation has succeeded.`,
        }
      }
      onClose={onClose}
    />
  );
}
