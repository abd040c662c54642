import type { MaybePromise } from '../../core/index.ts';

/** A form that works without scripts: `POST` to `action`, with the hidden fields. */
export interface PageForm {
  readonly action: string;
  /** Hidden fields, by name; all of them must be sent. */
  readonly hidden: Readonly<Record<string, string>>;
}

/** Why a form is shown once more. */
export type PageProblem =
  | 'invalid_credentials'
  | 'invalid_second_factor'
  | 'unsupported_second_factor'
  | 'too_many_requests'
  | 'unavailable'
  | 'expired';

interface InteractionView {
  readonly form: PageForm;
  /** Of the client that asks; not to be trusted to be what it says, but registered. */
  readonly clientName: string;
  readonly clientUri?: string;
  readonly problem?: PageProblem;
}

/** Fields `username` and `password`; the buttons are named `action`, with the values `login` and `cancel`. */
export interface LoginView extends InteractionView {
  readonly kind: 'login';
  /** As typed before, or as the client hints. */
  readonly username: string;
}

/** Field `otp`; buttons `action` with the values `verify` and `cancel`. */
export interface SecondFactorView extends InteractionView {
  readonly kind: 'second_factor';
}

/** Buttons `action` with the values `allow`, `deny` and `switch` (another account). */
export interface ConsentView extends InteractionView {
  readonly kind: 'consent';
  readonly username: string;
  readonly scopes: readonly { readonly name: string; readonly description: string }[];
}

/** The request cannot be answered with a redirect. */
export interface ErrorView {
  readonly kind: 'error';
  readonly status: number;
  /** Plain English, without anything of the request. */
  readonly message: string;
}

/** What a page has to show. */
export type PageView = LoginView | SecondFactorView | ConsentView | ErrorView;

/**
 * Makes the HTML document of a page. Everything in a view is text: escape it, best with `html`. The content
 * security policy lets nothing run or load but the inline styles that are named in `styles`.
 */
export type RenderPage = (view: PageView) => MaybePromise<Page>;

/** What a page function makes. */
export interface Page {
  /** A whole HTML document; of a value of `html` make it with `String()`. */
  readonly html: string;
  /** The contents of its `<style>` elements, byte for byte, of which the content security policy is made. @default none */
  readonly styles?: readonly string[];
}
