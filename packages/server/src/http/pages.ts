import type { ApprovalPage, InboxPage, NoticePage } from "../pages/view.ts";

/** How pages are written; `start.ts` hands it over. */
export interface Pages {
  approval(page: ApprovalPage): string;
  inbox(page: InboxPage): string;
  notice(page: NoticePage): string;
  readonly stylesheet: string;
  /** Where the pages expect it. */
  readonly stylesheetPath: string;
}
