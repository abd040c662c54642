import type { HtmlValue } from 'doorward/oauth';
import { describe, expect, it } from 'vitest';
import { html } from '../../src/oauth/pages/html.ts';

const NASTY = `<script>alert("1")</script>&'`;
const ESCAPED = '&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&amp;&#39;';
const invalid = expect.objectContaining({ code: 'CONFIG_INVALID', field: 'html' });

describe('html', () => {
  it('escapes text', () => {
    expect(String(html`<p>${NASTY}</p>`)).toBe(`<p>${ESCAPED}</p>`);
  });

  it('escapes both kinds of quoted attributes', () => {
    expect(String(html`<a title="${NASTY}" lang='${NASTY}'>x</a>`)).toBe(
      `<a title="${ESCAPED}" lang='${ESCAPED}'>x</a>`,
    );
    expect(String(html`<a title="say ${1} > ${'"'}">x</a>`)).toBe('<a title="say 1 > &quot;">x</a>');
  });

  it('composes markup, lists and nothing', () => {
    const items = ['a', '<b>'].map((item) => html`<li>${item}</li>`);
    expect(String(html`<ul>${items}${undefined}${null}${false}${0}</ul>`)).toBe(
      '<ul><li>a</li><li>&lt;b&gt;</li>0</ul>',
    );
    expect(String(html`<p>${['<', ['&']]}</p>`)).toBe('<p>&lt;&amp;</p>');
  });

  it('puts markup into a tag, and never a text', () => {
    expect(String(html`<input ${html`autofocus`}${false}>`)).toBe('<input autofocus>');
    expect(() => html`<input ${'onfocus=alert(1)'}>`).toThrow(invalid);
    expect(() => html`<${'script'}>`).toThrow(invalid);
    expect(() => html`<a title="x"${['y']}>`).toThrow(invalid);
  });

  it('refuses an attribute without quotes', () => {
    expect(() => html`<input value=${'x onfocus=alert(1)'}>`).toThrow(invalid);
    expect(() => html`value=${'x onfocus=alert(1)'}`).toThrow(invalid);
  });

  it('refuses markup within quotes, where its own quotes would end them', () => {
    expect(() => html`<a title="${html`" onclick="x`}">`).toThrow(invalid);
  });

  it('refuses a template that ends within a tag, so that what follows is read as it is written', () => {
    expect(() => html`<a title="`).toThrow(invalid);
    expect(() => html`<b>${'x'}</b><i`).toThrow(invalid);
  });

  it('refuses values in scripts and comments', () => {
    expect(() => html`<script>let name = '${'x'}';</script>`).toThrow(invalid);
    expect(() => html`<script>${'x'}</script>`).toThrow(invalid);
    expect(() => html`<!-- ${'-->'} -->`).toThrow(invalid);
    expect(() => html`<!-- "${'-->'}" -->`).toThrow(invalid);
    expect(String(html`<!-- it's --><p title="${'"'}">`)).toBe('<!-- it\'s --><p title="&quot;">');
  });

  it('leaves a style as it is, and refuses one that could end itself', () => {
    const style = `a > b { content: "x" }`;
    expect(String(html`<style>${style}</style>`)).toBe(`<style>${style}</style>`);
    expect(() => html`<style>${'</style><script>'}</style>`).toThrow(invalid);
    expect(() => html`<style>a{} ${'b{}'}</style>`).toThrow(invalid);
    expect(() => html`<style>${'a{}'}${'b{}'}</style>`).toThrow(invalid);
    expect(() => html`<style>${html`<b></b>`}</style>`).toThrow(invalid);
  });

  it.each([
    ['an object with a text of its own', { toString: () => '<b>' }],
    ['an object that JSON made', JSON.parse('{"Symbol(doorward.html)":"<b>","html":"<b>"}')],
    ['true', true],
    ['a function', () => '<b>'],
    ['an heir of markup', Object.create(html`<b></b>`)],
  ])('takes %s for no markup', (_, value) => {
    expect(() => html`<p>${value as HtmlValue}</p>`).toThrow(invalid);
    expect(() => html`<p title="${value as HtmlValue}">`).toThrow(invalid);
  });

  it('says nothing of the value in its error', () => {
    expect(() => html`<a href=${'hunter2'}>`).toThrow(/^(?!.*hunter2)/);
  });
});
