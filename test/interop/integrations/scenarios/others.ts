/** Integrations that react to events, synchronize content, or authenticate visitors. */
import type { Scenario } from './scenario.ts';

const PROVIDER = 'interop-provider.example.com';
const OKTA = 'interop.okta.com';

export const OTHERS: Record<string, Scenario> = {
  'VA-Auth0': {
    settings: {
      client_id: 'interop-client',
      issuer_base_url: `https://${PROVIDER}`,
      client_secret: 'interop-secret',
    },
  },
  'VA-Azure': {
    settings: { client_id: 'interop-client', tenant_id: 'interop-tenant', client_secret: 'interop-secret' },
  },
  'VA-Okta': {
    settings: {
      client_id: 'interop-client',
      okta_domain: OKTA,
      client_secret: 'interop-secret',
      okta_custom_auth_server_id: '',
    },
  },
  cognito: {
    settings: {
      client_id: 'interop-client',
      cognito_domain: `https://${PROVIDER}`,
      client_secret: 'interop-secret',
    },
  },
  oidc: {
    settings: {
      client_id: 'interop-client',
      client_secret: 'interop-secret',
      authorization_endpoint: `https://${PROVIDER}/authorize`,
      access_token_endpoint: `https://${PROVIDER}/oauth/token`,
      scope: 'openid email',
      logout_endpoint: `https://${PROVIDER}/logout`,
    },
  },
  webhook: {
    settings: { webhookUrl: 'https://hooks.example.com/interop' },
    events: { space_content_updated: 'hooks.example.com', site_view: 'hooks.example.com' },
    replies: ({ url }) => (url.host === 'hooks.example.com' ? { json: { ok: true } } : undefined),
  },
  piwik: {
    settings: {
      piwik_container_name: 'interop-container',
      piwik_site_id: '00000000-0000-4000-8000-000000000000',
      data_layer_name: 'dataLayer',
    },
  },
  zoominfo: { settings: { script: "window[atob('x')] = '0123456789abcdef0123'" } },
  segment: {
    events: { site_view: 'api.segment.io' },
    settings: { write_key: 'interop-write-key', eu_region: false },
    replies: ({ url }) => (url.host === 'api.segment.io' ? { json: { success: true } } : undefined),
  },
  discord: {
    events: { space_content_updated: 'discord.com' },
    replies: ({ url }) => (url.pathname.startsWith('/api/v10/channels/') ? { json: { id: '3' } } : undefined),
  },
  slack: {
    settings: {
      default_channel: 'C1',
      channel: 'C1',
      notify_content_update: true,
      notify_visibility_update: true,
    },
    events: { space_content_updated: 'slack.com' },
    replies: ({ url }) =>
      url.host === 'slack.com' && !url.pathname.startsWith('/api/oauth')
        ? { json: { ok: true, channels: [{ id: 'C1', name: 'docs' }], channel: 'C1', ts: '1' } }
        : undefined,
  },
  bucket: {
    replies: ({ url }) =>
      url.host === 'front.reflag.com'
        ? { json: { features: [{ key: 'beta', description: 'Beta' }] } }
        : undefined,
  },
  launchdarkly: {
    replies: ({ url }) =>
      url.host === 'app.launchdarkly.com'
        ? {
            json: {
              items: [
                {
                  key: 'beta',
                  name: 'Beta',
                  kind: 'boolean',
                  variations: [{ value: true }, { value: false }],
                },
              ],
            },
          }
        : undefined,
  },
};
