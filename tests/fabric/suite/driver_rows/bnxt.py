# SPDX-License-Identifier: Apache-2.0
"""Rows of bnxt."""
import errno
import struct

from nic import *  # noqa: F403  pylint: disable=wildcard-import,unused-wildcard-import


@row("bnxt.all.closed", "bnxt")
def bnxt_takes_nothing_unless_dcbx_is_the_hosts():
    same((set_dcbx(IEEE_DCBX), get_dcbx()), (0, IEEE_DCBX))
    nothing_is_taken()


@row("bnxt.ets.first", "bnxt")
def all_reads_0_at_first():
    ets = get_ets()
    same((ets.tsa, ets.tx, ets.prio, ets.willing, ets.cap), (NONE, NONE, NONE, 0, 8))


@row("bnxt.ets.tsa", "bnxt")
def other_algorithms_answer_enotsupp_cut_to_a_byte():
    same(set_ets([VENDOR] + NONE[1:], prio=TWO), struct.unpack("b", bytes([-524 & 0xff]))[0])


@row("bnxt.ets.above", "bnxt")
def the_highest_class_is_not_looked_at():
    same(set_ets([STRICT, VENDOR] + NONE[2:], [0, 200] + NONE[2:], TWO), 0)


@row("bnxt.ets.sum", "bnxt")
def shares_above_100_are_refused():
    three = [0, 0, 0, 2, 1, 0, 0, 0]
    same(set_ets([ETS_TSA] * 8, [60, 41] + NONE[2:], three), -errno.EINVAL)
    same((set_ets([ETS_TSA] * 8, [30, 20, 10] + NONE[3:], three), get_ets().tx[:3]), (0, [30, 20, 10]))


@row("bnxt.ets.starves", "bnxt")
def a_class_that_would_starve_is_refused():
    same(set_ets([ETS_TSA] * 8, [100, 0, 0] + NONE[3:], [0, 1, 2] + NONE[3:]), -errno.EINVAL)


@row("bnxt.ets.stores", "bnxt")
def ets_is_stored_as_written():
    same(set_ets([STRICT, ETS_TSA] + NONE[2:], [33, 50] + NONE[2:], TWO, willing=1, cbs=1, rx=[1] * 8, reco=[2] * 8), 0)
    ets = get_ets()
    same((ets.tx[:2], ets.rx, ets.cbs, ets.willing, ets.reco_tx), ([33, 50], [1] * 8, 1, 0, NONE))


@row("bnxt.ets.pfc-unchecked", "bnxt")
def ets_does_not_look_at_lossless_queues():
    same((set_ets(), set_pfc(0x07)), (0, 0))
    same((set_ets(prio=[0, 1, 2] + NONE[3:]), get_pfc().on, set_pfc(0x07)), (0, 0x07, -errno.EINVAL))


@row("bnxt.pfc.before-ets", "bnxt")
def pfc_needs_ets_first():
    same((set_pfc(0x08), set_pfc(0), set_ets(), set_pfc(0x08)), (-errno.EINVAL, -errno.EINVAL, 0, 0))


@row("bnxt.pfc.queues", "bnxt")
def pfc_has_two_classes_at_most():
    same((set_ets(prio=IDENTITY), get_pfc().cap), (0, 2))
    same((set_pfc(0x0c), set_pfc(0x1c), get_pfc().on), (0, -errno.EINVAL, 0x0c))


@row("bnxt.pfc.stores", "bnxt")
def delay_and_bypass_are_stored():
    same((set_ets(), set_pfc(0x08, 4711, mbc=1)), (0, 0))
    same((get_pfc().delay, get_pfc().mbc), (4711, 1))


@row("bnxt.app.any", "bnxt")
def rows_of_every_selector_are_taken():
    wanted = [(ETHERTYPE, 0, 1), (DGRAM, 4791, 3), *dscp((26, 3), (26, 5))]
    same((add(*wanted), rows()), (0, wanted))


@row("bnxt.app.dscp-range", "bnxt")
def there_is_no_dscp_of_64():
    same(add((DSCP, 64, 3)), -errno.EINVAL)


@row("bnxt.app.same", "bnxt")
def a_row_is_not_added_twice():
    same((add(*dscp((26, 3))), add(*dscp((26, 3))), rows()), (0, -errno.EEXIST, dscp((26, 3))))


@row("bnxt.dcbx.lld", "bnxt")
def the_firmware_keeps_dcbx():
    same((set_dcbx(LLD_MANAGED | IEEE_DCBX), get_dcbx()), (0, LLD_MANAGED | IEEE_DCBX))
    same([set_dcbx(mode) != 0 for mode in (HOST | IEEE_DCBX, LLD_MANAGED | IEEE_DCBX, 0)], [True] * 3)


@row("bnxt.dcbx.host", "bnxt")
def the_host_speaks_ieee_alone():
    same([set_dcbx(mode) != 0 for mode in (HOST, HOST | CEE, HOST | CEE | IEEE_DCBX)], [True] * 3)


@row("bnxt.dcbx.any", "bnxt")
def a_mode_without_the_host_is_stored():
    same([(set_dcbx(mode), get_dcbx()) for mode in (CEE, 0, HOST | IEEE_DCBX)], [(0, CEE), (0, 0), (0, HOST | IEEE_DCBX)])
