import type { components } from '../../../../../generated/schema.d.ts';
import type { JsonText } from '../../../../database/json.ts';
import { readJson, writeJson } from '../../../../database/json.ts';

type Schemas = components['schemas'];
type Customization = Schemas['SiteCustomization'];
type PageAction = Schemas['SitePageAction'];

/** A customization with all that is optional in requests. */
export interface CompleteCustomization extends Customization {
  styling: Schemas['SiteStyling'] & { codeTheme: Schemas['SiteCodeThemes'] };
  pageActions: Required<Schemas['SitePageActions']>;
  pdf: Schemas['SiteToggle'];
  git: Schemas['SiteGit'];
  socialAccounts: Schemas['SiteSocialAccount'][];
}

/** All actions, in the order of those that are not listed. */
const PAGE_ACTIONS: readonly PageAction[] = ['assistant', 'external-ai', 'markdown', 'mcp', 'git', 'pdf'];

const DEFAULT_CODE_THEME = { light: 'default-light', dark: 'default-dark' };

/** Names of fonts, as clients of the platform know them. */
const FONTS: readonly string[] = ['Merriweather', 'Inter', 'OpenSans', 'Roboto', 'SourceSansPro'];
const MONOSPACE_FONTS: readonly string[] = ['FiraCode', 'IBMPlexMono', 'JetBrainsMono', 'SourceCodePro'];

/** Completes a customization of a request, or of an earlier release. */
function completeCustomization(customization: Customization): CompleteCustomization {
  const { styling, pageActions, ai } = customization;
  const lists = (action: PageAction) => pageActions.items?.includes(action);
  const externalAI = pageActions.externalAI ?? lists('external-ai') ?? false;
  const markdown = pageActions.markdown ?? lists('markdown') ?? true;
  const pdf = customization.pdf ?? { enabled: lists('pdf') ?? true };
  const git = customization.git ?? { showEditLink: lists('git') ?? true };
  const enabled: Record<PageAction, boolean> = {
    assistant: ai.mode === 'assistant',
    'external-ai': externalAI,
    markdown,
    mcp: lists('mcp') ?? false,
    git: git.showEditLink,
    pdf: pdf.enabled,
  };
  const items = [...new Set([...(pageActions.items ?? []), ...PAGE_ACTIONS])].filter(
    (action) => enabled[action],
  );
  return {
    ...customization,
    styling: {
      ...styling,
      font: nameAmong(FONTS, styling.font),
      monospaceFont: nameAmong(MONOSPACE_FONTS, styling.monospaceFont),
      codeTheme: styling.codeTheme ?? { default: DEFAULT_CODE_THEME, openapi: DEFAULT_CODE_THEME },
    },
    pageActions: { externalAI, markdown, items },
    pdf,
    git,
    socialAccounts: customization.socialAccounts ?? [],
  };
}

/** Returns the name of a font that differs only in spaces, hyphens and letter case; otherwise the same name. */
function nameAmong(names: readonly string[], name: string): string {
  const key = keyOfName(name);
  return names.find((known) => keyOfName(known) === key) ?? name;
}

const keyOfName = (name: string): string => name.toLowerCase().replace(/[\s-]/g, '');

/** The customization of sites that was not replaced. */
export const DEFAULT_CUSTOMIZATION: CompleteCustomization = completeCustomization({
  styling: {
    theme: 'clean',
    primaryColor: { light: '#346ddb', dark: '#7aa2f7' },
    infoColor: { light: '#346ddb', dark: '#7aa2f7' },
    successColor: { light: '#1a7f4b', dark: '#5cc28f' },
    warningColor: { light: '#9a6700', dark: '#e0b252' },
    dangerColor: { light: '#c4314b', dark: '#f28b9a' },
    corners: 'rounded',
    depth: 'subtle',
    links: 'default',
    font: 'Inter',
    monospaceFont: 'IBMPlexMono',
    background: 'plain',
    icons: 'solid',
    sidebar: { background: 'default', list: 'default' },
    search: 'prominent',
  },
  internationalization: { locale: 'en' },
  favicon: {},
  header: { preset: 'default', links: [] },
  footer: { groups: [] },
  themes: { default: 'system', toggeable: true },
  pdf: { enabled: true },
  feedback: { enabled: true },
  ai: { mode: 'none' },
  advancedCustomization: { enabled: false },
  pageActions: { externalAI: false, markdown: true },
  externalLinks: { target: 'self' },
  pagination: { enabled: true },
  trademark: { enabled: true },
  privacyPolicy: {},
  socialPreview: {},
  insights: { trackingCookie: false },
  git: { showEditLink: true },
});

/** Returns the customization of a site. */
export function readCustomization({
  customization,
}: {
  customization: JsonText<Record<string, unknown>> | null;
}): CompleteCustomization {
  // Stored only by `writeCustomization`.
  return customization === null
    ? DEFAULT_CUSTOMIZATION
    : completeCustomization(readJson(customization) as unknown as Customization);
}

/** Serializes a customization for storage. */
export const writeCustomization = (customization: Customization): JsonText<Record<string, unknown>> =>
  writeJson({ ...completeCustomization(customization) });
