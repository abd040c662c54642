import { type Html, type HtmlValue, html } from './html.ts';
import type { Page, PageForm, PageProblem } from './page.ts';
import { PAGE_STYLE } from './page-style.ts';

const PROBLEMS: Readonly<Record<PageProblem, string>> = {
  invalid_credentials: 'The username or the password is not right.',
  invalid_second_factor: 'That code is not right. A code of an app changes every 30 seconds and counts once.',
  unsupported_second_factor:
    'Your second factor cannot be used on this page. Set up an authenticator app for your account beside it.',
  too_many_requests: 'There were too many attempts. Wait a few minutes before you try again.',
  unavailable: 'This cannot be done right now. Try again in a moment.',
  expired: 'This form was open for too long, and nothing was done. Please try again.',
};

/** The attributes that tie a field to the problem with it. */
export const DESCRIBED: Html = html` aria-invalid="true" aria-describedby="problem"`;

/** Puts the content of a page into the document that all pages share. */
export function pageFrame(title: string, content: HtmlValue): Page {
  const document = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${PAGE_STYLE}</style>
</head>
<body>
<main>
${content}
</main>
</body>
</html>
`;
  return { html: String(document), styles: [PAGE_STYLE] };
}

/** Screen readers read a title first, and some read an alert only when it appears later. */
export function titleOf(title: string, problem: PageProblem | undefined): string {
  return problem === undefined ? title : `Problem: ${title}`;
}

export function problemBox(problem: PageProblem | undefined): Html | undefined {
  return problem && html`<p class="problem" role="alert" id="problem">${PROBLEMS[problem]}</p>`;
}

/** A form with its hidden fields. Enter presses its first button. */
export function pageForm({ action, hidden }: PageForm, content: Html): Html {
  const fields = Object.entries(hidden).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  );
  return html`<form method="post" action="${action}">
${fields}
${content}
</form>`;
}

/** A name that somebody chose: its direction of writing does not reach beyond it. */
export function nameOf(name: string): Html {
  return html`<strong><bdi>${name}</bdi></strong>`;
}
