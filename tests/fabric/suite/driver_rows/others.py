# SPDX-License-Identifier: Apache-2.0
"""Rows of mlx4 and hns3."""
import errno

from nic import *  # noqa: F403  pylint: disable=wildcard-import,unused-wildcard-import


# ---- mlx4 ----

@row("mlx4.ets.first", "mlx4")
def classes_are_the_vendors_and_pause_is_on():
    ets = get_ets()
    same((ets.tsa, ets.prio, get_pause()), ([VENDOR] * 8, IDENTITY, [0, 1, 1]))


@row("mlx4.ets.sum", "mlx4")
def mlx4_wants_shares_that_sum_to_100():
    same(set_ets([ETS_TSA, ETS_TSA] + NONE[2:], [40, 50] + NONE[2:]), -errno.EINVAL)
    same(set_ets([VENDOR] * 8, [9] * 8), 0)


@row("mlx4.ets.cb-shaper", "mlx4")
def mlx4_has_no_shaper():
    same(set_ets([CB_SHAPER] + NONE[1:]), -errno.EOPNOTSUPP)


@row("mlx4.ets.stores", "mlx4")
def mlx4_stores_shares_of_every_class():
    same(set_ets([ETS_TSA, STRICT] + NONE[2:], [100, 7] + NONE[2:], TWO, willing=1, cbs=1, rx=[1] * 8), 0)
    ets = get_ets()
    same((ets.tx[:2], ets.prio, ets.cbs, ets.willing, ets.rx), ([100, 7], TWO, 1, 0, NONE))


@row("mlx4.pfc.pause", "mlx4")
def pfc_clears_pause_for_good():
    same((set_pfc(0x08), get_pause()), (0, [0, 0, 0]))
    same((set_pfc(0), get_pause()), (0, [0, 0, 0]))


@row("mlx4.pause.pfc", "mlx4")
def pause_clears_pfc():
    same((set_pfc(0x08), set_pause(0, 1, 0), get_pfc().on), (0, 0, 0))
    same((set_pfc(0x08), set_pause(0, 0, 0), get_pfc().on, set_pause(1, 0, 0)), (0, 0, 0x08, -errno.EINVAL))


@row("mlx4.pfc.not-kept", "mlx4")
@row("hns3.pfc.not-kept", "hns3")
def delay_and_bypass_are_dropped():
    same((set_pfc(0x08, 100, mbc=1), get_pfc().delay, get_pfc().mbc), (0, 0, 0))


@row("mlx4.maxrate.up", "mlx4")
def rates_are_rounded_up():
    same((set_rates(0, 50_000, 100_000, 100_001), get_rates()[:4]), (0, [0, 100_000, 100_000, 200_000]))


@row("mlx4.app.table-only", "mlx4")
def rows_are_the_kernels_alone():
    wanted = [(DGRAM, 4791, 3), *dscp((26, 3))]
    same((add(*wanted), rows()), (0, wanted))
    same((delete(*wanted), rows()), (0, []))


@row("mlx4.dcbx.clears", "mlx4")
def another_mode_clears_ets_and_pfc():
    same((set_pfc(0x08), set_dcbx(HOST | IEEE_DCBX), get_pfc().on), (0, 0, 0))
    ets = get_ets()
    same((ets.tsa, ets.tx, ets.prio), (NONE, NONE, NONE))


@row("mlx4.dcbx.first", "mlx4")
def both_dialects_do_not_come_back():
    both = HOST | CEE | IEEE_DCBX
    same((get_dcbx(), set_dcbx(both), set_dcbx(HOST | IEEE_DCBX), set_dcbx(both) != 0), (both, 0, 0, True))


@row("mlx4.dcbx.host", "mlx4")
def mlx4_needs_the_host_and_one_dialect():
    same([set_dcbx(mode) != 0 for mode in (IEEE_DCBX, HOST | LLD_MANAGED | IEEE_DCBX)], [True] * 2)
    same((set_dcbx(HOST | CEE), get_dcbx(), set_dcbx(HOST | CEE)), (0, HOST | CEE, 0))


# ---- hns3 ----

@row("hns3.ets.first", "hns3")
def class_0_has_everything_at_first():
    ets = get_ets()
    same((ets.tsa, ets.tx, ets.prio), ([ETS_TSA] + NONE[1:], [100] + NONE[1:], NONE))


HALVES = ([ETS_TSA, ETS_TSA] + NONE[2:], [50, 50] + NONE[2:])


@row("hns3.ets.closed", "hns3")
def hns3_takes_nothing_without_ieee():
    same((set_dcbx(HOST), set_ets(*HALVES, TWO), set_pfc(0x08)), (0, -errno.EINVAL, -errno.EINVAL))


@row("hns3.ets.tsa", "hns3")
def hns3_has_strict_and_ets_alone():
    same(set_ets([VENDOR] + NONE[1:]), -errno.EINVAL)


@row("hns3.ets.unused", "hns3")
def an_ets_class_must_be_in_use():
    same(set_ets(*HALVES, NONE), -errno.EINVAL)


@row("hns3.ets.zero-share", "hns3")
def an_ets_class_must_have_a_share():
    same(set_ets([ETS_TSA, ETS_TSA] + NONE[2:], [100, 0] + NONE[2:], TWO), -errno.EINVAL)


@row("hns3.ets.sum", "hns3")
def hns3_wants_shares_that_sum_to_100():
    same((set_ets(HALVES[0], [50, 40] + NONE[2:], TWO), set_ets(*HALVES, TWO)), (-errno.EINVAL, 0))


@row("hns3.ets.classes", "hns3")
def hns3_has_8_classes():
    same(set_ets(prio=[8] + NONE[1:]), -errno.EINVAL)


@row("hns3.ets.not-ets-share", "hns3")
def a_strict_class_reads_0():
    same((set_ets([ETS_TSA, STRICT] + NONE[2:], [100, 7] + NONE[2:], TWO), get_ets().tx[:2]), (0, [100, 0]))


@row("hns3.ets.willing", "hns3")
def willing_reads_on():
    same((set_ets(*HALVES, TWO, willing=0), get_ets().willing), (0, 1))


@row("hns3.pfc.pause", "hns3")
def pause_comes_back_when_pfc_goes():
    same((set_pause(0, 1, 0), set_pfc(0x08), get_pause()), (0, 0, [0, 0, 0]))
    same((set_pfc(0), get_pause()), (0, [0, 1, 0]))


@row("hns3.pause.pfc", "hns3")
def pause_is_refused_beside_pfc():
    same((set_pfc(0x08), set_pause(0, 0, 0)), (0, -errno.EOPNOTSUPP))


@row("hns3.app.dscp-only", "hns3")
def hns3_has_rows_of_dscp_alone():
    same([add((DGRAM, 4791, 3)), add((DSCP, 64, 3)), rows()], [-errno.EINVAL, -errno.EINVAL, []])


@row("hns3.app.replaces", "hns3")
def a_row_of_hns3_takes_the_place_of_that_dscps():
    same((add(*dscp((26, 3))), add(*dscp((26, 5))), rows()), (0, 0, dscp((26, 5))))


@row("hns3.app.delete-other", "hns3")
def a_row_that_hns3_has_not_is_not_deleted():
    same((delete(*dscp((26, 3))), add(*dscp((26, 3))), delete(*dscp((26, 5)))), (-errno.EINVAL, 0, -errno.EINVAL))


@row("hns3.dcbx.host", "hns3")
def hns3_speaks_ieee_of_the_host():
    same([set_dcbx(mode) != 0 for mode in (HOST | CEE, IEEE_DCBX, HOST | LLD_MANAGED)], [True] * 3)
