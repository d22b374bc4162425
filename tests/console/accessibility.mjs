// Takes the tour in a language and looks at every page and state: axe's rules in both themes, and
// whether a narrow or zoomed window scrolls sideways. With LAUREL_SCREENSHOTS=1 it keeps pictures.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { axeSource, openPage, shoot } from './support.mjs';
import { makeTour } from './tour.mjs';

const takesPictures = process.env.LAUREL_SCREENSHOTS === '1';
const grave = ['serious', 'critical'];
const desktop = { width: 1280, height: 860 };
const phone = { width: 360, height: 740 };
/** 640 is a window of 1280 at 200 %; 400 and 320 are those of the reflow rule of WCAG and of phones. */
const narrow = [640, 400, 320];

/** What axe finds in the page as it is, with these options: [{impact, line}]. */
async function findingsOf(page, options = {}) {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axeSource);
  return page.evaluate(async (chosen) => {
    const { violations } = await globalThis.axe.run(document, {
      resultTypes: ['violations'],
      ...chosen,
    });
    return violations.map(({ id, impact, help, nodes }) => {
      const places = nodes.slice(0, 6).map(({ target, any, all, html }) => {
        const why = any[0]?.message ?? all[0]?.message ?? '';
        return `\n    ${target.join(' ')} | ${why} | ${html.slice(0, 160)}`;
      });
      return { impact, line: `${impact} ${id}: ${help}${places.join('')}` };
    });
  }, options);
}

/** Elements that are wider than the window, if the page scrolls sideways. */
function sideways(page) {
  return page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    if (scrollWidth <= clientWidth) return [];
    const wide = Array.from(document.querySelectorAll('body *')).filter((element) => {
      const { right, width } = element.getBoundingClientRect();
      return width > 0 && right > clientWidth + 0.5 && element.closest('.scroll-x') === null;
    });
    return [
      `${scrollWidth} in ${clientWidth}`,
      ...wide.slice(0, 5).map((element) => element.outerHTML.slice(0, 120)),
    ];
  });
}

async function look(t, page, state, language) {
  const pictures = async (theme) => {
    if (!takesPictures || (language !== 'en' && !state.isMain)) return;
    await page.evaluate(() => scrollTo(0, 0));
    await shoot(page, `${state.name}-${language}-${theme}`, { fullPage: true });
  };
  // Colours do not depend on the language, and their rule takes most of the time.
  const looksAtColours = language === 'en' || state.isMain;
  const findings = await findingsOf(
    page,
    looksAtColours ? {} : { rules: { 'color-contrast': { enabled: false } } },
  );
  await pictures('light');
  await page.emulateMedia({ colorScheme: 'dark' });
  // Only colours depend on the theme.
  const colours = { runOnly: { type: 'rule', values: ['color-contrast'] } };
  for (const { impact, line } of looksAtColours ? await findingsOf(page, colours) : []) {
    findings.push({ impact, line: `dark: ${line}` });
  }
  await pictures('dark');
  await page.emulateMedia({ colorScheme: 'light' });
  for (const width of narrow) {
    await page.setViewportSize({ width, height: 740 });
    const wide = await sideways(page);
    const line = `scrolls sideways at ${width}: ${wide.join('\n    ')}`;
    if (wide.length > 0) findings.push({ impact: 'serious', line });
  }
  if (takesPictures && state.isMain) {
    await page.setViewportSize(phone);
    await shoot(page, `${state.name}-${language}-phone`, { fullPage: true });
  }
  await page.setViewportSize(desktop);
  for (const { impact, line } of findings) if (!grave.includes(impact)) t.diagnostic(line);
  const bad = findings.filter(({ impact }) => grave.includes(impact)).map(({ line }) => line);
  assert.deepEqual(bad, [], bad.join('\n'));
}

export function lookAtAll(language) {
  test(`every page and state in ${language} is free of grave findings and reflows`, async (t) => {
    const tour = await makeTour(language);
    t.after(tour.close);
    const page = await openPage(t, 'about:blank', {
      viewport: desktop,
      locale: language === 'zh' ? 'zh-CN' : 'en-US',
      reducedMotion: 'reduce',
      colorScheme: 'light',
    });
    // The markup is the same in all languages; LAUREL_TEST_ALL looks at every state in each.
    const isWhole = language === 'en' || process.env.LAUREL_TEST_ALL !== undefined;
    for (const state of tour.states.filter(({ isMain }) => isWhole || isMain)) {
      await t.test(state.name, async (one) => {
        await state.open(page);
        try {
          assert.equal(await page.getAttribute('html', 'lang'), language === 'zh' ? 'zh-CN' : 'en');
          await look(one, page, state, language);
        } finally {
          await state.end?.(page);
        }
      });
    }
  });
}
