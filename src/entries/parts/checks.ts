export { checks } from '../../client/features/checks/checksAlone'
