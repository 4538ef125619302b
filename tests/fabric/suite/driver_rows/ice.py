# SPDX-License-Identifier: Apache-2.0
"""Rows of ice."""
import errno

from nic import *  # noqa: F403  pylint: disable=wildcard-import,unused-wildcard-import


VLAN_MODE = (1, [100] + NONE[1:], [ETS_TSA] + NONE[1:], NONE)
DSCP_MODE = (0, [100] + NONE[1:], [ETS_TSA] * 8, IDENTITY)


def shown_ets():
    ets = get_ets()
    return ets.willing, ets.tx, ets.tsa, ets.prio


@row("ice.all.closed", "ice")
def ice_takes_nothing_while_the_firmware_has_dcbx():
    same((set_dcbx(HOST | CEE), get_dcbx()), (0, HOST | CEE))
    nothing_is_taken()
    knob("personality", "ice")
    knob("firmware_lldp", "on")
    nothing_is_taken()


@row("ice.all.bond", "ice")
def ice_takes_nothing_in_a_bond():
    run(f"ip link set {NIC} down; ip link set {NIC} master {BOND}")
    try:
        nothing_is_taken()
        same(set_dcbx(HOST | CEE) != 0, True)
    finally:
        run(f"ip link set {NIC} nomaster; ip link set {NIC} up")


@row("ice.ets.first", "ice")
def vlan_mode_is_first():
    same((shown_ets(), get_pfc().on, rows()), (VLAN_MODE, 0, []))


@row("ice.ets.sum", "ice")
def shares_of_all_classes_in_use_must_sum_to_100():
    same(set_ets([ETS_TSA, STRICT] + NONE[2:], [50, 0] + NONE[2:], TWO), -errno.EINVAL)
    same((set_ets([ETS_TSA, STRICT] + NONE[2:], [50, 50] + NONE[2:], TWO), get_ets().tx[:2]), (0, [50, 50]))


@row("ice.ets.no-share", "ice")
def no_share_at_all_gives_class_0_everything():
    same((set_ets([ETS_TSA] * 8, NONE, TWO), get_ets().tx), (0, [100] + NONE[1:]))


@row("ice.ets.one-class", "ice")
def a_single_class_has_everything():
    same((set_ets([ETS_TSA] * 8, [10, 20] + NONE[2:]), get_ets().tx[:2]), (0, [100, 20]))


@row("ice.ets.strict", "ice")
def strict_classes_need_no_ets_class():
    same((set_ets(NONE, NONE, IDENTITY), get_ets().tsa, get_ets().prio), (0, NONE, IDENTITY))
    same((set_ets(NONE, [50, 50] + NONE[2:], TWO), get_ets().prio), (0, TWO))
    same((set_ets(NONE, [50, 40] + NONE[2:], TWO), get_ets().tx[:2]), (-errno.EINVAL, [50, 50]))


@row("ice.ets.gap", "ice")
def a_gap_brings_the_first_settings_back():
    gap = [0, 0, 0, 3, 0, 0, 0, 0]
    same((set_ets([ETS_TSA] * 8, [50, 50] + NONE[2:], TWO), set_pfc(0x08)), (0, 0))
    same((set_ets([ETS_TSA] * 8, [50, 0, 0, 50] + NONE[4:], gap), shown_ets(), get_pfc().on), (0, VLAN_MODE, 0))
    same((set_pfc(0x08), shown_ets(), get_pfc().on), (0, VLAN_MODE, 0), "the gap is desired still")
    same((set_ets([ETS_TSA] * 8, [50, 50] + NONE[2:], TWO), get_pfc().on), (0, 0x08))


@row("ice.ets.refused-kept", "ice")
def refused_ets_is_in_the_way_of_pfc():
    same((set_ets([ETS_TSA] * 8, [50, 40] + NONE[2:], TWO), shown_ets()), (-errno.EINVAL, VLAN_MODE))
    same((set_pfc(0x08), get_pfc().on), (-errno.EINVAL, 0))
    same((set_ets([ETS_TSA] * 8, [50, 50] + NONE[2:], TWO), set_pfc(0x08)), (0, 0))


@row("ice.ets.capability", "ice")
def the_number_of_classes_reads_0_until_ets_is_written():
    same((get_ets().cap, set_pfc(0), get_ets().cap), (8, 0, 0))
    same((set_ets([ETS_TSA] * 8, [100] + NONE[1:]), get_ets().cap), (0, 8))


@row("ice.ets.fixed-map", "ice")
def the_map_is_fixed_with_dscp_rows():
    same(add(*dscp((26, 3))), 0)
    same((set_ets([ETS_TSA] * 8, [50, 0, 0, 50] + NONE[4:], NONE), get_ets().prio), (0, IDENTITY))
    same(get_ets().tx, [50, 0, 0, 50] + NONE[4:])


@row("ice.ets.recommends", "ice")
def recommendations_read_as_the_settings():
    same(set_ets([ETS_TSA] * 8, [50, 50] + NONE[2:], TWO, rx=[1] * 8, reco=[2] * 8), 0)
    ets = get_ets()
    same((ets.rx, ets.reco_tx, ets.reco_prio, ets.reco_tsa), (ets.tx, ets.tx, TWO, [ETS_TSA] * 8))


@row("ice.pfc.first", "ice")
def pfc_before_ets_changes_ets():
    same((set_pfc(0x08), shown_ets()), (0, (0, [100] + NONE[1:], NONE, NONE)))


@row("ice.pfc.delay", "ice")
def the_delay_is_the_nics():
    same((set_pfc(0x08, 100), get_pfc().delay), (0, 0))


@row("ice.pfc.capability", "ice")
def a_written_capability_is_shown():
    same([(set_pfc(0, cap=cap), get_pfc().cap) for cap in (4, 0)], [(0, 4), (0, 8)])


@row("ice.app.priority", "ice")
def a_priority_without_a_class_is_refused():
    same(add((DSCP, 26, 8)), -errno.EINVAL)


@row("ice.app.first", "ice")
def the_first_row_begins_dscp_mode():
    same((set_ets([ETS_TSA] * 8, [50, 50] + NONE[2:], TWO), set_pfc(0x08), add(*dscp((26, 3)))), (0, 0, 0))
    same((shown_ets(), get_pfc().on), (DSCP_MODE, 0x08))


@row("ice.app.twice", "ice")
def a_dscp_is_mapped_once():
    same((add(*dscp((26, 3))), add(*dscp((26, 5))), rows()), (0, -errno.EINVAL, dscp((26, 3))))


@row("ice.app.last", "ice")
def without_rows_it_is_in_vlan_mode_again():
    same((add(*dscp((26, 3), (28, 4))), set_pfc(0x08), delete(*dscp((28, 4)))), (0, 0, 0))
    same((shown_ets(), get_pfc().on), (DSCP_MODE, 0x08), "a row is left")
    same((delete(*dscp((26, 3))), shown_ets(), get_pfc().on), (0, VLAN_MODE, 0))


@row("ice.app.last-hidden", "ice")
def the_desired_settings_outlive_the_last_row():
    same((add(*dscp((26, 3))), set_pfc(0x08), delete(*dscp((26, 3)))), (0, 0, 0))
    same((set_ets([ETS_TSA] * 8, [50, 50] + NONE[2:], TWO), get_pfc().on), (0, 0x08), "lossless again")
    knob("personality", "ice")
    same((add(*dscp((26, 3))), delete(*dscp((26, 3))), set_pfc(0x10)), (0, 0, 0))
    same(shown_ets(), DSCP_MODE, "classes of DSCP mode again")


@row("ice.app.delete-default", "ice")
def a_dscp_without_its_row_has_its_number_modulo_8():
    same(add(*dscp((26, 3), (44, 5))), 0)
    same((delete(*dscp((44, 5))), priority_of(44)), (0, 4))


@row("ice.dcbx.agent", "ice")
def the_agent_keeps_the_mode():
    same((set_agent(1), set_dcbx(HOST | CEE) != 0, get_dcbx()), (0, True, LLD_MANAGED | IEEE_DCBX))


@row("ice.dcbx.host", "ice")
def one_dialect_of_the_host():
    same([set_dcbx(mode) != 0 for mode in (IEEE_DCBX, HOST | LLD_MANAGED, HOST | CEE | IEEE_DCBX)], [True] * 3)


@row("ice.dcbx.same", "ice")
def the_same_mode_is_called_refused():
    same((set_dcbx(HOST | IEEE_DCBX) != 0, get_dcbx()), (True, HOST | IEEE_DCBX))


@row("ice.dcbx.dscp", "ice")
def rows_fix_the_mode():
    same((add(*dscp((26, 3))), set_dcbx(HOST | CEE) != 0, get_dcbx()), (0, True, HOST | IEEE_DCBX))


@row("ice.flag.on", "ice")
def the_agent_manages_dcbx():
    same((set_agent(1), get_dcbx(), ethtool(GET_FLAGS, 0)), (0, LLD_MANAGED | IEEE_DCBX, [1]))


@row("ice.flag.off", "ice")
def without_the_agent_it_is_as_at_first():
    same((set_ets([ETS_TSA] * 8, [50, 50] + NONE[2:], TWO), set_pfc(0x08)), (0, 0))
    same((set_agent(1), get_pfc().on), (0, 0x08), "the virtual NIC's agent hears nothing")
    same((set_agent(0), shown_ets(), get_pfc().on, get_dcbx()), (0, VLAN_MODE, 0, HOST | IEEE_DCBX))


@row("ice.flag.dscp", "ice")
def rows_forbid_the_agent():
    same((add(*dscp((26, 3))), set_agent(1), get_dcbx()), (0, -errno.EOPNOTSUPP, HOST | IEEE_DCBX))


@row("ice.pfc.pause", "ice")
def pause_reads_off_while_pfc_is_on():
    same((set_pause(0, 1, 1), set_pfc(0x08), get_pause()), (0, 0, [0, 0, 0]))
    same((set_pfc(0), get_pause()), (0, [0, 1, 1]))


@row("ice.pause.pfc", "ice")
def pause_cannot_be_set_beside_pfc():
    same((set_pfc(0x08), set_pause(0, 0, 0), set_pfc(0), set_pause(0, 0, 0)), (0, -errno.EOPNOTSUPP, 0, 0))


@row("ice.pause.autoneg", "ice")
def pause_is_negotiated_as_the_link_is():
    same(set_pause(1, 0, 0), -errno.EOPNOTSUPP)
