export { consent } from '../../client/features/consentAlone'
