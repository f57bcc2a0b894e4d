import type {
  ApprovalPage,
  BundlePage,
  CallPage,
  EditPage,
  InboxPage,
  NoticePage,
  UnknownsPage,
} from "../page-data/page-types.ts";

/** How pages are written; `start.ts` hands it over. */
export interface Pages {
  approval(page: ApprovalPage): string;
  bundle(page: BundlePage): string;
  call(page: CallPage): string;
  edit(page: EditPage): string;
  inbox(page: InboxPage): string;
  notice(page: NoticePage): string;
  unknowns(page: UnknownsPage): string;
  readonly stylesheet: string;
  /** Where the pages expect it. */
  readonly stylesheetPath: string;
}
