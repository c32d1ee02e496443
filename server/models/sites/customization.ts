import type { components } from '../../../generated/schema.d.ts';
import type { JsonText } from '../../database/json.ts';
import { readJson, writeJson } from '../../database/json.ts';

type Customization = components['schemas']['SiteCustomization'];

/** The customization of sites that was not replaced. */
export const DEFAULT_CUSTOMIZATION: Customization = {
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
    monospaceFont: 'IBM Plex Mono',
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
};

/** Returns the customization of a site. */
export function readCustomization({
  customization,
}: {
  customization: JsonText<Record<string, unknown>> | null;
}): Customization {
  // Stored only by `writeCustomization`.
  return customization === null
    ? DEFAULT_CUSTOMIZATION
    : (readJson(customization) as unknown as Customization);
}

/** Serializes a customization for storage. */
export const writeCustomization = (customization: Customization): JsonText<Record<string, unknown>> =>
  writeJson({ ...customization });
