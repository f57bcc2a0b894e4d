import { useNavigate, useRouter } from "@tanstack/react-router";
import type { AnchorHTMLAttributes, Ref } from "react";
import type { InboxSearch } from "./inbox-search.ts";

/**
 * A link to another view of the inbox. It is a plain link, because the router's own one marks itself as the current page
 * whatever its filters are.
 */
export function InboxLink({
  search,
  ...rest
}: Omit<AnchorHTMLAttributes<HTMLAnchorElement>, "href" | "onClick"> & {
  readonly search: (current: InboxSearch) => InboxSearch;
  readonly ref?: Ref<HTMLAnchorElement>;
}) {
  const router = useRouter();
  const navigate = useNavigate();
  const { href } = router.buildLocation({ to: "/inbox", search: search as never });
  return (
    <a
      {...rest}
      href={router.history.createHref(href)}
      onClick={(event) => {
        if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
        event.preventDefault();
        void navigate({ to: "/inbox", search: search as never });
      }}
    />
  );
}
