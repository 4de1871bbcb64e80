"""The client for partners of the Gold Trading Partner Service.

GoldClient and AsyncGoldClient call the service. verify_webhook() verifies the webhooks that the service
sends.
"""

from .client import AsyncGoldClient, GoldClient
from .error import GoldError
from .exact_json import Quantity
from .foreign_credential import ForeignCredential, find_foreign_credential
from .settings import Settings, TryReport
from .webhook import VerifiedWebhook, WebhookVerificationError, sign_webhook, verify_webhook

__all__ = [
    "AsyncGoldClient",
    "ForeignCredential",
    "GoldClient",
    "GoldError",
    "Quantity",
    "Settings",
    "TryReport",
    "VerifiedWebhook",
    "WebhookVerificationError",
    "find_foreign_credential",
    "sign_webhook",
    "verify_webhook",
]
