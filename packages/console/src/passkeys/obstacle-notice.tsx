import { Info } from "lucide-react";
import type { ReactNode } from "react";
import { Notice } from "../ui/states.tsx";
import type { Obstacle } from "./find-obstacle.ts";

/** Says why the person can't enrol a passkey here, and what to do. */
export function ObstacleNotice({ obstacle }: { readonly obstacle: Obstacle }) {
  return (
    <Notice tone="high" icon={Info}>
      {explain(obstacle)}
    </Notice>
  );
}

function explain(obstacle: Obstacle): ReactNode {
  switch (obstacle.kind) {
    case "no-host-name":
      return (
        <>
          Browsers offer passkeys only for host names, and Paraph is reached at an IP address. Ask an operator
          to set <code>identity.url</code>.
        </>
      );
    case "other-address":
      return (
        <>
          Passkeys belong to <code className="[overflow-wrap:anywhere]">{obstacle.origin}</code>, and this
          page has another address.{" "}
          <a className="link" href={`${obstacle.origin}/console/passkeys`}>
            Open your passkeys there
          </a>
        </>
      );
    case "not-secure":
      return "Browsers offer passkeys only over HTTPS, or at localhost.";
    case "no-support":
      return "This browser offers no passkeys. Use a current version of another browser.";
  }
}
